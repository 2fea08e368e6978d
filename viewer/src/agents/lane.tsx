/** The lane of an agent: what it held as bars, and what it did as marks on them. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { AgentLane, AgentMark, AgentSpan, MarkKind } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { Icon } from "../parts/icon.tsx";
import { LocalTimes } from "../parts/local_times.tsx";
import { Person } from "../parts/person.tsx";
import { nameOf } from "../text/actor_name.ts";
import { shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import type { Words } from "../text/en.ts";
import { clustersOf, gapsOf, kindsOf, spanClustersOf } from "./lane_marks.ts";
import type { Range } from "./lane_marks.ts";
import { spanText } from "./span_text.ts";
import { MARK_LOOKS } from "./tables.tsx";

/** The reader's choice on a lane. */
export type ChosenOnLane = { marks: readonly AgentMark[] } | { spans: readonly AgentSpan[] };

interface LaneProps {
  lane: AgentLane;
  range: Range;
  /** Rem of the room that marks and bars have. */
  width: number;
  now: number;
  shown: ReadonlySet<MarkKind>;
  chosen: ChosenOnLane | undefined;
  choose: (what: ChosenOnLane) => void;
}

export function Lane({ lane, range, width, now, shown, chosen, choose: select }: LaneProps): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const gap = gapsOf(width);
  const clusters = useMemo(() => clustersOf(lane, range, shown, gap.mark), [lane, range.from, range.to, shown, width]);
  const bars = useMemo(() => spanClustersOf(lane.spans, range, now, gap.bar), [lane, range.from, range.to, now, width]);
  const first = chosen && "marks" in chosen ? chosen.marks[0] : undefined;
  const firstSpan = chosen && "spans" in chosen ? chosen.spans[0] : undefined;
  const [at, setCurrent] = useState(0);
  const current = Math.min(at, bars.length + clusters.length - 1);
  return (
    <li class="agent-lane">
      <span class="lane-name">
        <Person by={lane.by} />
        <Waits waits={lane.waits} />
      </span>
      <div
        class="lane-track"
        role="group"
        aria-label={words.labelled(nameOf(lane.by), agents.lanes)}
        onKeyDown={moveAlong}
      >
        <div class="lane-room">
          {bars.map(({ left, width, spans, end }, index) => {
            const span = spans[0]!;
            const what = spans.length === 1 ? spanText(span, words) : agents.heldOf(spans.length);
            return (
              <button
                key={`${span.kind} ${span.entity} ${span.of} ${span.from} ${index}`}
                type="button"
                class={`span span-${span.kind} end-${end}`}
                style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
                tabIndex={index === current ? 0 : -1}
                title={what}
                aria-label={words.labelled(
                  nameOf(lane.by),
                  spans.length === 1 ? what : words.labelled(shortTime(span.from, words.locale), what),
                )}
                aria-pressed={firstSpan !== undefined && spans.some((one) => isSameSpan(one, firstSpan))}
                onFocus={() => setCurrent(index)}
                onClick={() => select({ spans })}
              >
                {spans.length > 1 && <span class="span-count">{spans.length}</span>}
              </button>
            );
          })}
          {clusters.map((cluster, index) => {
            const { icon, tone } = MARK_LOOKS[cluster.kind];
            const [mark] = cluster.marks;
            const what =
              cluster.marks.length === 1
                ? words.labelled(agents.marks[cluster.kind], words.logged(mark!.text))
                : clusterText(cluster.marks, words);
            return (
              <button
                key={mark!.ts + mark!.entity + mark!.revision}
                type="button"
                class={`mark mark-${tone}`}
                style={{ left: `${cluster.at * 100}%` }}
                tabIndex={bars.length + index === current ? 0 : -1}
                title={what}
                aria-label={words.labelled(nameOf(lane.by), words.labelled(shortTime(mark!.ts, words.locale), what))}
                aria-pressed={first !== undefined && cluster.marks.some((one) => isSameMark(one, first))}
                onFocus={() => setCurrent(bars.length + index)}
                onClick={() => select({ marks: cluster.marks })}
              >
                <Icon name={icon} />
                {cluster.marks.length > 1 && <span class="mark-count">{cluster.marks.length}</span>}
              </button>
            );
          })}
        </div>
      </div>
    </li>
  );
}

/** In a line what the holder waits for, with a link there: the card below has all of it. */
function Waits({ waits }: Pick<AgentLane, "waits">): JSX.Element | null {
  const words = useWords();
  const [first, ...rest] = waits;
  if (!first) return null;
  const { entity, step, why } = first;
  return (
    <span class="lane-waits">
      <a href={hrefOf("task", entity, { step: step?.path })}>
        <Icon name="wait" />
        {words.agents.waitsAt([entity, step?.path].filter(Boolean).join(" "))}
      </a>{" "}
      <LocalTimes text={why.map(words.sentence).join("; ")} />
      {rest.length > 0 && ` ${words.count.more(rest.length)}`}
    </span>
  );
}

/** `5 marks: closed 2, note 3` */
function clusterText(marks: readonly AgentMark[], { agents, labelled }: Words): string {
  const kinds = kindsOf(marks).map(([kind, count]) => `${agents.marks[kind]} ${count}`);
  return labelled(agents.clusterOf(marks.length), kinds.join(", "));
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
