/** The lane of an agent: what it held as bars, and what it did as marks on them. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { AgentLane, AgentMark, AgentSpan, MarkKind } from "../../../src/views/viewer/api.ts";
import { Icon } from "../parts/icon.tsx";
import { nameOf, Person } from "../parts/person.tsx";
import { shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";
import { clustersOf, placeOf } from "./lane_marks.ts";
import type { Range } from "./lane_marks.ts";
import { MARK_LOOKS, spanText } from "./tables.tsx";

/** The reader's choice on a lane. */
export type ChosenOnLane = { marks: readonly AgentMark[] } | { span: AgentSpan };

interface LaneProps {
  lane: AgentLane;
  range: Range;
  now: number;
  shown: ReadonlySet<MarkKind>;
  chosen: ChosenOnLane | undefined;
  choose: (what: ChosenOnLane) => void;
}

/** Share of a lane that a mark takes. */
const GAP = { wide: 0.022, narrow: 0.085 };

export function Lane({ lane, range, now, shown, chosen, choose: select }: LaneProps): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const narrow = useNarrow();
  const clusters = useMemo(
    () => clustersOf(lane, range, shown, narrow ? GAP.narrow : GAP.wide),
    [lane, range.from, range.to, shown, narrow],
  );
  const spans = lane.spans.flatMap((span) => {
    const place = placeOf(span, range, now);
    return place ? [{ span, place }] : [];
  });
  const first = chosen && "marks" in chosen ? chosen.marks[0] : undefined;
  const [at, setCurrent] = useState(0);
  const current = Math.min(at, spans.length + clusters.length - 1);
  return (
    <li class="agent-lane">
      <span class="lane-name">
        <Person by={lane.by} />
        {lane.waits.length > 0 && (
          <span class="lane-waits" title={lane.waits.flatMap((wait) => wait.why.map(words.sentence)).join("\n")}>
            <Icon name="wait" />
            {agents.waits} {lane.waits.length}
          </span>
        )}
      </span>
      <div class="lane-track" role="group" aria-label={`${nameOf(lane.by)}: ${agents.lanes}`} onKeyDown={moveAlong}>
        {spans.map(({ span, place }, index) => {
          const what = spanText(span, words);
          return (
            <button
              key={`${span.kind} ${span.entity} ${span.of} ${span.from} ${index}`}
              type="button"
              class={`span span-${span.kind} end-${span.end}`}
              style={{ left: `${place.left * 100}%`, width: `${place.width * 100}%` }}
              tabIndex={index === current ? 0 : -1}
              title={what}
              aria-label={`${nameOf(lane.by)}, ${what}`}
              aria-pressed={chosen !== undefined && "span" in chosen && isSameSpan(chosen.span, span)}
              onFocus={() => setCurrent(index)}
              onClick={() => select({ span })}
            />
          );
        })}
        {clusters.map((cluster, index) => {
          const { icon, tone } = MARK_LOOKS[cluster.kind];
          const [mark] = cluster.marks;
          const what =
            cluster.marks.length === 1
              ? `${agents.marks[cluster.kind]}: ${words.sentence(mark!.text)}`
              : agents.clusterOf(cluster.marks.length);
          return (
            <button
              key={mark!.ts + mark!.entity + mark!.revision}
              type="button"
              class={`mark mark-${tone}`}
              style={{ left: `${cluster.at * 100}%` }}
              tabIndex={spans.length + index === current ? 0 : -1}
              title={what}
              aria-label={`${nameOf(lane.by)}, ${shortTime(mark!.ts, words.locale)}: ${what}`}
              aria-pressed={first !== undefined && cluster.marks.some((one) => isSameMark(one, first))}
              onFocus={() => setCurrent(spans.length + index)}
              onClick={() => select({ marks: cluster.marks })}
            >
              <Icon name={icon} />
              {cluster.marks.length > 1 && <span class="mark-count">{cluster.marks.length}</span>}
            </button>
          );
        })}
      </div>
    </li>
  );
}

/** After a change the answer has the same mark as another object. */
function isSameMark(one: AgentMark, other: AgentMark): boolean {
  return (
    one.entity === other.entity && one.revision === other.revision && one.kind === other.kind && one.ts === other.ts
  );
}

function isSameSpan(one: AgentSpan, other: AgentSpan): boolean {
  return one.entity === other.entity && one.kind === other.kind && one.of === other.of && one.from === other.from;
}

/** Tab comes to one place of a lane, which may have a hundred. Arrows go on from there in order of time. */
function moveAlong(event: KeyboardEvent): void {
  const track = event.currentTarget as HTMLElement;
  const places = [...track.querySelectorAll<HTMLElement>(".mark, .span")].toSorted(
    (one, other) => Number.parseFloat(one.style.left) - Number.parseFloat(other.style.left),
  );
  const at = places.indexOf(event.target as HTMLElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: places.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  places[Math.min(Math.max(to, 0), places.length - 1)]?.focus();
}
