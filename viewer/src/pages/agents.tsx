/** How agents worked together over time: a lane for each, with what it did, what it held, and what it waits for. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { AgentLane, AgentsAnswer, MarkKind } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { Lane } from "../agents/lane.tsx";
import type { ChosenOnLane } from "../agents/lane.tsx";
import type { Range } from "../agents/lane_marks.ts";
import { rangeOf } from "../agents/range.ts";
import { Marks, MARK_LOOKS, Spans } from "../agents/tables.tsx";
import { useNow } from "../clock.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { kind } from "../data/source.ts";
import { Bars } from "../parts/bars.tsx";
import { withGaps } from "../parts/with_gaps.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { LocalTimes } from "../parts/local_times.tsx";
import { Moment } from "../parts/moment.tsx";
import { nameOf, Person } from "../parts/person.tsx";
import { Empty, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { shortMoment, shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";

/** Milliseconds of a range, and of a bucket. */
const STEP = { hour: 3_600_000, day: 86_400_000 } as const;

export function AgentsPage(): JSX.Element {
  const words = useWords();
  const held = useAnswer(names.agents);
  return (
    <div class="page">
      <h1>{words.pages.agents}</h1>
      <When held={held} again={() => askAgain(names.agents)}>
        {(answer) =>
          answer.lanes.length === 0 ? <Empty icon="agent" title={words.agents.empty} /> : <Lanes answer={answer} />
        }
      </When>
    </div>
  );
}

/** The time that the address names; all of it otherwise. */
function useRange(answer: AgentsAnswer, now: number): { whole: Range; range: Range } {
  const { query } = useStore(address);
  const lasts = answer.lanes.some(({ spans }) => spans.some((span) => span.to === null));
  const to = Math.max(Date.parse(answer.to ?? answer.now), lasts ? now : 0);
  const whole = {
    from: Date.parse(answer.from ?? answer.now),
    to: Math.max(to, Date.parse(answer.from ?? answer.now) + 1000),
  };
  return { whole, range: rangeOf(query, whole) };
}

/** Kinds of marks that stand on no lane unless the reader wants them, and the word of the address for none. */
const HIDDEN = "change";
const NOTHING = "none";

interface Chosen {
  lane: string;
  what: ChosenOnLane;
}

function Lanes({ answer }: { answer: AgentsAnswer }): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const clock = useNow();
  // An export stands still at its moment.
  const now = kind === "live" ? Math.max(clock, Date.parse(answer.now)) : Date.parse(answer.now);
  const { whole, range } = useRange(answer, now);
  const { query } = useStore(address);
  const hide = query["hide"] ?? HIDDEN;
  const hidden = useMemo(() => new Set(hide.split(",")), [hide]);
  const [chosen, setChosen] = useState<Chosen>();
  const kinds = useMemo(
    () => (Object.keys(MARK_LOOKS) as MarkKind[]).filter((kind) => answer.lanes.some((lane) => lane.counts[kind])),
    [answer],
  );
  const shown = useMemo(() => new Set(kinds.filter((kind) => !hidden.has(kind))), [kinds, hidden]);
  const toggle = (kind: MarkKind): void => {
    const next = hidden.has(kind) ? [...hidden].filter((one) => one !== kind) : [...hidden, kind];
    const text = next.filter(Boolean).join(",");
    choose({ hide: text === HIDDEN ? undefined : text || NOTHING }, true);
  };
  return (
    <>
      <section class="panel" aria-labelledby="lanes-title">
        <div class="entry-head">
          <h2 id="lanes-title">{agents.lanes}</h2>
          <RangeTools whole={whole} range={range} />
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
        <ol class="bare agent-lanes">
          {answer.lanes.map((lane) => (
            <Lane
              key={lane.by}
              lane={lane}
              range={range}
              now={now}
              shown={shown}
              chosen={chosen?.lane === lane.by ? chosen.what : undefined}
              choose={(what) => setChosen({ lane: lane.by, what })}
            />
          ))}
        </ol>
        <p class="axis muted" aria-hidden="true">
          <span>{shortMoment(range.from, words.locale)}</span>
          <span>{shortMoment((range.from + range.to) / 2, words.locale)}</span>
          <span>{shortMoment(range.to, words.locale)}</span>
        </p>
        {answer.ahead > 0 && <p class="notice amber">{agents.ahead(answer.ahead)}</p>}
        {answer.cut && <p class="muted">{agents.cut}</p>}
        {answer.lanes.length < answer.lanes_total && (
          <p class="muted">{agents.lanesCut(answer.lanes.length, answer.lanes_total)}</p>
        )}
        <div class="mark-detail" role="status">
          {chosen ? <Detail key={keyOf(chosen)} chosen={chosen} /> : <p class="muted">{agents.select}</p>}
        </div>
      </section>
      <Throughput answer={answer} />
      <ul class="bare agent-cards">
        {answer.lanes.map((lane) => (
          <li key={lane.by}>
            <AgentCard lane={lane} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Another choice begins with its first rows. */
function keyOf({ lane, what }: Chosen): string {
  const [first] = "span" in what ? [what.span] : what.marks;
  return `${lane} ${first?.kind} ${first?.entity} ${first && ("ts" in first ? first.ts : first.from)}`;
}

function Detail({ chosen: { lane, what } }: { chosen: Chosen }): JSX.Element {
  const label = nameOf(lane);
  return "span" in what ? <Spans list={[what.span]} label={label} /> : <Marks list={what.marks} label={label} />;
}

function RangeTools({ whole, range }: { whole: Range; range: Range }): JSX.Element {
  const { agents } = useWords();
  const show = (from: number, to: number): void => {
    const isWhole = from <= whole.from && to >= whole.to;
    choose(
      isWhole ? { from: undefined, to: undefined } : { from: String(Math.round(from)), to: String(Math.round(to)) },
      true,
    );
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
  const { bucket, buckets } = answer.throughput;
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
        head={agents.columns.start}
        columns={[agents.closes, agents.reopens, agents.changes]}
        bars={withGaps(buckets, STEP[bucket], ({ start }) => start, emptyBucket).map((one) => ({
          label: shortTime(one.start, words.locale),
          values: [one.closes, Math.max(0, one.changes - one.closes)],
          texts: [one.closes, one.reopens, one.changes].map((n) => n.toLocaleString(words.locale)),
        }))}
      />
    </section>
  );
}

function emptyBucket(start: string): AgentsAnswer["throughput"]["buckets"][number] {
  return { start, closes: 0, reopens: 0, changes: 0 };
}

function AgentCard({ lane }: { lane: AgentLane }): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const counts = (Object.keys(MARK_LOOKS) as MarkKind[]).filter((kind) => lane.counts[kind]);
  return (
    <article class="panel agent-card">
      <h3>
        <Person by={lane.by} />
      </h3>
      <p class="muted">
        {agents.last} <Moment ts={lane.last} />
      </p>
      <ul class="bare inline">
        {counts.map((kind) => (
          <li key={kind} class={`kind mark-${MARK_LOOKS[kind].tone}`}>
            <Icon name={MARK_LOOKS[kind].icon} />
            {agents.marks[kind]} {lane.counts[kind]}
          </li>
        ))}
      </ul>
      {lane.waits.map((wait) => (
        <p key={`${wait.entity} ${wait.step?.id}`} class="notice amber">
          <Icon name="wait" /> {agents.waits}:{" "}
          <a href={hrefOf("task", wait.entity, { step: wait.step?.path })}>
            {wait.entity} {wait.step?.path} {wait.step?.title ?? wait.title}
          </a>{" "}
          <LocalTimes text={wait.why.map(words.sentence).join("; ")} />
        </p>
      ))}
      <details class="fold">
        <summary>
          <Icon name="chevron" />
          {agents.events} <span class="muted">{sum(lane.counts).toLocaleString(words.locale)}</span>
        </summary>
        <Marks list={lane.marks.toReversed()} total={sum(lane.counts)} label={`${nameOf(lane.by)}: ${agents.events}`} />
      </details>
      {lane.spans.length > 0 && (
        <details class="fold">
          <summary>
            <Icon name="chevron" />
            {agents.held} <span class="muted">{lane.spans_total.toLocaleString(words.locale)}</span>
          </summary>
          <Spans list={lane.spans.toReversed()} total={lane.spans_total} label={`${nameOf(lane.by)}: ${agents.held}`} />
        </details>
      )}
    </article>
  );
}

function sum(counts: AgentLane["counts"]): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
