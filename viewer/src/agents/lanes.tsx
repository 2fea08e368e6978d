/** Lanes of agents over time: what each did as marks, what it held as bars, and how much was done. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { AgentsAnswer, MarkKind } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { useNow } from "../clock.ts";
import { kind } from "../data/source.ts";
import { Bars } from "../parts/bars.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { withGaps } from "../parts/with_gaps.ts";
import { useStore } from "../store.ts";
import { nameOf } from "../text/actor_name.ts";
import { dayOf, shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { useWidth } from "../use_width.ts";
import { Axis } from "./axis.tsx";
import { Lane } from "./lane.tsx";
import type { ChosenOnLane } from "./lane.tsx";
import { hiddenOf } from "./lane_marks.ts";
import type { Range } from "./lane_marks.ts";
import { hasName } from "./pages_of.ts";
import { ALL, rangeOf } from "./range.ts";
import { Marks, MARK_LOOKS, Spans } from "./tables.tsx";

/** Milliseconds of a range, and of a bucket. */
const STEP = { hour: 3_600_000, day: 86_400_000 } as const;

/** The time that the address names. Without one, from where most happened on. */
function useRange(answer: AgentsAnswer, now: number): { whole: Range; main: Range; range: Range } {
  const { query } = useStore(address);
  const lasts = answer.lanes.some(({ spans }) => spans.some((span) => span.to === null));
  const from = Date.parse(answer.from ?? answer.now);
  const to = Math.max(Date.parse(answer.to ?? answer.now), lasts ? now : 0, from + 1000);
  const [whole, main] = [
    { from, to },
    { from: Math.min(Date.parse(answer.main_from ?? answer.now), to - 1000), to },
  ];
  return { whole, main, range: rangeOf(query, whole, main) };
}

interface Chosen {
  lane: string;
  what: ChosenOnLane;
}

export function Lanes({ answer, search }: { answer: AgentsAnswer; search: string }): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const lanes = useMemo(() => answer.lanes.filter(({ by }) => hasName(by, search)), [answer, search]);
  const clock = useNow();
  // An export stands still at its moment.
  const now = kind === "live" ? Math.max(clock, Date.parse(answer.now)) : Date.parse(answer.now);
  const { whole, main, range } = useRange(answer, now);
  const hasEarly = range.from < main.from;
  const { query } = useStore(address);
  const hide = query["hide"] ?? "";
  const hidden = useMemo(() => new Set(hide.split(",")), [hide]);
  const room = useRef<HTMLDivElement>(null);
  const width = useWidth(room);
  const [chosen, setChosen] = useState<Chosen>();
  const kinds = useMemo(
    () => (Object.keys(MARK_LOOKS) as MarkKind[]).filter((kind) => answer.lanes.some((lane) => lane.counts[kind])),
    [answer],
  );
  const shown = useMemo(() => new Set(kinds.filter((kind) => !hidden.has(kind))), [kinds, hidden]);
  const leftOut = useMemo(() => hiddenOf(lanes, range, shown), [lanes, range.from, range.to, shown]);
  const toggle = (kind: MarkKind): void => {
    const next = hidden.has(kind) ? [...hidden].filter((one) => one !== kind) : [...hidden, kind];
    choose({ hide: next.filter(Boolean).join(",") || undefined }, true);
  };
  return (
    <>
      <section class="panel" aria-labelledby="lanes-title">
        <div class="entry-head">
          <h2 id="lanes-title">{agents.lanes}</h2>
          <RangeTools whole={whole} main={main} range={range} />
        </div>
        <div class="chips" role="group" aria-label={agents.kinds}>
          {kinds.map((kind) => (
            <button
              key={kind}
              type="button"
              class={`chip mark-${MARK_LOOKS[kind].tone}`}
              aria-pressed={!hidden.has(kind)}
              onClick={() => toggle(kind)}
            >
              <Icon name={MARK_LOOKS[kind].icon} />
              {agents.marks[kind]}
            </button>
          ))}
        </div>
        {leftOut > 0 && <p class="muted">{agents.hidden(leftOut)}</p>}
        <Axis range={range} width={width} room={room} />
        <ol class="bare agent-lanes">
          {lanes.map((lane) => (
            <Lane
              key={lane.by}
              lane={lane}
              range={range}
              width={width}
              now={now}
              shown={shown}
              chosen={chosen?.lane === lane.by ? chosen.what : undefined}
              choose={(what) => setChosen({ lane: lane.by, what })}
            />
          ))}
        </ol>
        {answer.early > 0 && (
          <p class="notice amber">
            {agents.early(answer.early)}{" "}
            <button
              type="button"
              class="button small"
              onClick={() => choose({ from: hasEarly ? undefined : ALL, to: undefined }, true)}
            >
              {hasEarly ? agents.leaveOut : agents.ranges.all}
            </button>
          </p>
        )}
        {answer.ahead > 0 && <p class="notice amber">{agents.ahead(answer.ahead)}</p>}
        {answer.cut && <p class="muted">{agents.cut}</p>}
        <div class="mark-detail" role="status">
          {chosen ? <Detail key={keyOf(chosen)} chosen={chosen} /> : <p class="muted">{agents.select}</p>}
        </div>
      </section>
      <Throughput answer={answer} />
    </>
  );
}

/** Another choice begins with its first rows. */
function keyOf({ lane, what }: Chosen): string {
  const [first] = "spans" in what ? what.spans : what.marks;
  return `${lane} ${first?.kind} ${first?.entity} ${first && ("ts" in first ? first.ts : first.from)}`;
}

function Detail({ chosen: { lane, what } }: { chosen: Chosen }): JSX.Element {
  const label = nameOf(lane);
  return "spans" in what ? <Spans list={what.spans} label={label} /> : <Marks list={what.marks} label={label} />;
}

function RangeTools({ whole, main, range }: Record<"whole" | "main" | "range", Range>): JSX.Element {
  const { agents } = useWords();
  /** Without moments in the address, a range goes on with the time. */
  const show = (from: number, to: number): void => {
    const isMain = from === main.from && to >= main.to;
    const isWhole = from <= whole.from && to >= whole.to;
    const ends = { from: String(Math.round(from)), to: String(Math.round(to)) };
    choose(isMain ? { from: undefined, to: undefined } : isWhole ? { from: ALL, to: undefined } : ends, true);
  };
  const zoom = (factor: number): void => {
    const [middle, half] = [(range.from + range.to) / 2, ((range.to - range.from) * factor) / 2];
    show(Math.max(whole.from, middle - half), Math.min(whole.to, middle + half));
  };
  const move = (way: number): void => {
    const width = range.to - range.from;
    const from = Math.min(Math.max(whole.from, range.from + (way * width) / 2), whole.to - width);
    show(from, from + width);
  };
  const tools: [IconName, string, () => void][] = [
    ["first", agents.earlier, () => move(-1)],
    ["plus", agents.zoomIn, () => zoom(0.5)],
    ["minus", agents.zoomOut, () => zoom(2)],
    ["last", agents.later, () => move(1)],
  ];
  return (
    <div class="push range-tools" role="group" aria-label={agents.range}>
      {tools.map(([icon, label, act]) => (
        <button key={icon} type="button" class="button icon-only" aria-label={label} title={label} onClick={act}>
          <Icon name={icon} />
        </button>
      ))}
      {(["hour", "day"] as const).map((one) => (
        <button
          key={one}
          type="button"
          class="button small"
          onClick={() => show(Math.max(whole.from, whole.to - STEP[one]), whole.to)}
        >
          {agents.ranges[one]}
        </button>
      ))}
      <button type="button" class="button small" onClick={() => show(whole.from, whole.to)}>
        {agents.ranges.all}
      </button>
    </div>
  );
}

function Throughput({ answer }: { answer: AgentsAnswer }): JSX.Element | null {
  const words = useWords();
  const { agents } = words;
  const { bucket, buckets, early } = answer.throughput;
  if (buckets.length === 0) return null;
  return (
    <section class="panel">
      <h2>
        {agents.throughput} <span class="muted">{bucket === "hour" ? agents.perHour : agents.perDay}</span>
      </h2>
      <p class="legend">
        <span class="key part-0" /> {agents.closes} <span class="key part-1" /> {agents.changes}
      </p>
      <Bars
        label={agents.throughput}
        scale={words.count.changes}
        head={agents.columns.start}
        columns={[agents.closes, agents.reopens, agents.changes]}
        bars={withGaps(buckets, STEP[bucket], ({ start }) => start, emptyBucket).map((one) => ({
          label: labelOf(bucket, one.start, words.locale),
          values: [one.closes, Math.max(0, one.changes - one.closes)],
          texts: [one.closes, one.reopens, one.changes].map((n) => n.toLocaleString(words.locale)),
        }))}
      />
      {early > 0 && <p class="muted">{words.count.early(words.count.changes(early))}</p>}
    </section>
  );
}

/** A day is one of UTC: in other zones another one lasts at its begin. */
function labelOf(bucket: AgentsAnswer["throughput"]["bucket"], start: string, locale: string): string {
  return bucket === "day" ? dayOf(start.slice(0, "2026-11-28".length), locale) : shortTime(start, locale);
}

function emptyBucket(start: string): AgentsAnswer["throughput"]["buckets"][number] {
  return { start, closes: 0, reopens: 0, changes: 0 };
}
