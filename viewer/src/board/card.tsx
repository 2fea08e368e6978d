import type { JSX } from "preact";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { hrefOfEntity } from "../address.ts";
import { Signals } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Progress } from "../parts/progress.tsx";
import { useWords } from "../text/words.ts";

/** Tags on a card; the page of the task has all of them. */
const MOST_TAGS = 3;

interface CardProps {
  row: BoardRow;
  /** Rem of a line in it. */
  room: number;
  /** The one card that Tab comes to. */
  current: boolean;
  fresh: boolean;
}

export function Card({ row, room, current, fresh }: CardProps): JSX.Element {
  const words = useWords();
  return (
    <a
      class={fresh ? "card fresh" : "card"}
      href={hrefOfEntity(row.id, row.kind)}
      tabIndex={current ? 0 : -1}
      data-id={row.id}
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
      <span class="card-title">{row.title}</span>
      <span class="card-signals">
        <Signals row={row} room={room} />
      </span>
      <span class="card-foot">
        {row.progress.total > 0 && (
          <Progress {...row.progress} label={words.count.steps(row.progress.done, row.progress.total)} />
        )}
        <span class="card-tags">
          {row.tags.slice(0, MOST_TAGS).map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
          {row.tags.length > MOST_TAGS && (
            <span class="tag" title={row.tags.join(", ")}>
              +{row.tags.length - MOST_TAGS}
            </span>
          )}
        </span>
      </span>
    </a>
  );
}

/** The usual priority says nothing: only another one is named. */
function Priority({ value }: { value: string }): JSX.Element | null {
  const words = useWords();
  if (/^(medium|normal|)$/i.test(value)) return null;
  const high = /^(high|critical|urgent)$/i.test(value);
  return (
    <span class={high ? "priority high" : "priority"}>
      <span class="visually-hidden">{words.priority} </span>
      {value}
    </span>
  );
}
