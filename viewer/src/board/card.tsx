import type { JSX } from "preact";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { hrefOfEntity } from "../address.ts";
import { useNow } from "../clock.ts";
import { SignalBadges, signalsOf } from "../parts/badge.tsx";
import { howManyFit, widthOf } from "../parts/fitting.ts";
import { Moment } from "../parts/moment.tsx";
import { placeSignals } from "../parts/place_signals.ts";
import { Priority } from "../parts/priority.tsx";
import { Progress } from "../parts/progress.tsx";
import { useWords } from "../text/words.ts";
import { LINE } from "./card_size.ts";
import type { CardSize } from "./card_size.ts";

/** In rem, as the style sheet has them: the progress, what stands before its numbers alone, the frame of a tag, and the widest one. */
const [PROGRESS, BESIDE, TAG_FRAME, TAG] = [7.5, 0.75, 1.3, 8];

interface CardProps {
  row: BoardRow;
  /** Rem of a line in it. */
  room: number;
  size: CardSize;
  /** The one card that Tab comes to. */
  current: boolean;
  fresh: boolean;
}

export function Card({ row, room, size, current, fresh }: CardProps): JSX.Element {
  const words = useWords();
  const now = useNow();
  const { done, total } = row.progress;
  const numbers = total > 0 ? widthOf(`${done}/${total}`) + BESIDE : 0;
  const { lines, hidden } = placeSignals(signalsOf(row, now, words), size.hasFoot ? [room, room - numbers] : [room]);
  const [first = [], second = []] = lines;
  const isShared = second.length + hidden.length > 0;
  return (
    <a
      class={fresh ? "card fresh" : "card"}
      href={hrefOfEntity(row.id, row.kind)}
      tabIndex={current ? 0 : -1}
      data-id={row.id}
      style={{ height: `${size.height}rem` }}
    >
      <span class="card-head">
        <span class="id" title={row.id}>
          {row.id}
        </span>
        <Priority value={row.priority} />
        <span class="push muted">
          <Moment ts={row.updated_at} />
        </span>
      </span>
      <span class="card-title" style={{ height: `${size.title * LINE}rem` }}>
        {row.title}
      </span>
      {size.hasSignals && (
        <span class="card-signals">
          <SignalBadges list={first} {...(size.hasFoot ? {} : { hidden })} />
        </span>
      )}
      {size.hasFoot && (
        <span class={isShared ? "card-foot card-signals" : "card-foot"}>
          <SignalBadges list={second} hidden={hidden} />
          {total > 0 && <Progress done={done} total={total} label={words.count.steps(done, total)} />}
          {!isShared && <Tags tags={row.tags} room={room - (total > 0 ? PROGRESS : 0)} />}
        </span>
      )}
    </a>
  );
}

/** Those that have room; the page of the task has all of them. */
function Tags({ tags, room }: { tags: readonly string[]; room: number }): JSX.Element {
  const fit = howManyFit(
    tags.map((tag) => Math.min(TAG, widthOf(tag) + TAG_FRAME)),
    room,
    true,
  );
  const hidden = tags.slice(fit);
  return (
    <span class="card-tags">
      {tags.slice(0, fit).map((tag) => (
        <span key={tag} class="tag" title={tag}>
          {tag}
        </span>
      ))}
      {hidden.length > 0 && (
        <span class="tag" title={hidden.join(", ")}>
          +{hidden.length}
        </span>
      )}
    </span>
  );
}
