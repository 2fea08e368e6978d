/** How agents worked together over time: a lane for each, with what it did, what it held, and what it waits for. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { AgentLane, AgentMark, AgentsAnswer, AgentSpan, MarkKind } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { clustersOf, placeOf } from "../agents/lane_marks.ts";
import type { Range } from "../agents/lane_marks.ts";
import { rangeOf } from "../agents/range.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Bars } from "../parts/bars.tsx";
import { withGaps } from "../parts/with_gaps.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { LocalTimes, Sentence } from "../parts/local_times.tsx";
import { Moment } from "../parts/moment.tsx";
import { nameOf, Person } from "../parts/person.tsx";
import { Empty, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";

export const MARK_LOOKS: Record<MarkKind, { icon: IconName; tone: string }> = {
  create: { icon: "plus", tone: "plain" },
  claim: { icon: "claim", tone: "violet" },
  release: { icon: "minus", tone: "plain" },
  close: { icon: "done", tone: "green" },
  reopen: { icon: "undo", tone: "amber" },
  complete: { icon: "task", tone: "green" },
  evidence: { icon: "evidence", tone: "blue" },
  failure: { icon: "failed", tone: "red" },
  block: { icon: "blocked", tone: "red" },
  unblock: { icon: "ready", tone: "blue" },
  undo: { icon: "undo", tone: "amber" },
  redo: { icon: "redo", tone: "blue" },
  report: { icon: "file", tone: "blue" },
  stage_start: { icon: "play", tone: "blue" },
  stage_end: { icon: "packet", tone: "green" },
  kill: { icon: "close", tone: "red" },
  hand_over: { icon: "last", tone: "orange" },
  take_over: { icon: "first", tone: "orange" },
  note: { icon: "note", tone: "plain" },
  change: { icon: "circle", tone: "plain" },
};

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

/** What the address says of the time that is shown; all of it otherwise. */
function useRange(answer: AgentsAnswer): { whole: Range; range: Range } {
  const { query } = useStore(address);
  const to = Date.parse(answer.to ?? answer.now);
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
  marks: readonly AgentMark[];
}

function Lanes({ answer }: { answer: AgentsAnswer }): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const { whole, range } = useRange(answer);
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
              now={Date.parse(answer.now)}
              shown={shown}
              chosen={chosen?.lane === lane.by ? chosen.marks : undefined}
              choose={(marks) => setChosen({ lane: lane.by, marks })}
            />
          ))}
        </ol>
        <p class="axis muted" aria-hidden="true">
          <span>{shortTime(new Date(range.from).toISOString(), words.locale)}</span>
          <span>{shortTime(new Date((range.from + range.to) / 2).toISOString(), words.locale)}</span>
          <span>{shortTime(new Date(range.to).toISOString(), words.locale)}</span>
        </p>
        {answer.cut && <p class="muted">{agents.cut}</p>}
        {answer.lanes.length < answer.lanes_total && (
          <p class="muted">{agents.lanesCut(answer.lanes.length, answer.lanes_total)}</p>
        )}
        <div class="mark-detail" role="status">
          {chosen ? <Marks marks={chosen.marks} label={nameOf(chosen.lane)} /> : <p class="muted">{agents.select}</p>}
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

interface LaneProps {
  lane: AgentLane;
  range: Range;
  now: number;
  shown: ReadonlySet<MarkKind>;
  chosen: readonly AgentMark[] | undefined;
  choose: (marks: readonly AgentMark[]) => void;
}

/** Share of a lane that a mark takes. */
const GAP = { wide: 0.022, narrow: 0.085 };

function Lane({ lane, range, now, shown, chosen, choose: select }: LaneProps): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const narrow = useNarrow();
  const clusters = useMemo(
    () => clustersOf(lane, range, shown, narrow ? GAP.narrow : GAP.wide),
    [lane, range.from, range.to, shown, narrow],
  );
  const first = chosen?.[0];
  const [at, setCurrent] = useState(0);
  const current = Math.min(at, clusters.length - 1);
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
        {lane.spans.map((span, index) => (
          <SpanBar key={index} span={span} range={range} now={now} />
        ))}
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
              tabIndex={index === current ? 0 : -1}
              title={what}
              aria-label={`${nameOf(lane.by)}, ${shortTime(mark!.ts, words.locale)}: ${what}`}
              aria-pressed={first !== undefined && cluster.marks.some((one) => isSame(one, first))}
              onFocus={() => setCurrent(index)}
              onClick={() => select(cluster.marks)}
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
function isSame(one: AgentMark, other: AgentMark): boolean {
  return (
    one.entity === other.entity && one.revision === other.revision && one.kind === other.kind && one.ts === other.ts
  );
}

/** Tab comes to one mark of a lane, and arrows go on from there: a lane may have a hundred of them. */
function moveAlong(event: KeyboardEvent): void {
  const marks = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".mark")];
  const at = marks.indexOf(event.target as HTMLElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: marks.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  marks[Math.min(Math.max(to, 0), marks.length - 1)]?.focus();
}

function SpanBar({ span, range, now }: { span: AgentSpan; range: Range; now: number }): JSX.Element | null {
  const { agents } = useWords();
  const place = placeOf(span, range, now);
  if (!place) return null;
  const what = span.kind === "claim" ? agents.claim : agents.stage;
  const other = span.other ? ` ${agents.by(nameOf(span.other))}` : "";
  return (
    <span
      class={`span span-${span.kind} end-${span.end}`}
      style={{ left: `${place.left * 100}%`, width: `${place.width * 100}%` }}
      title={`${what} ${span.entity} ${span.title}: ${agents.ends[span.end]}${other}`}
    />
  );
}

function Marks({ marks, label }: { marks: readonly AgentMark[]; label: string }): JSX.Element {
  const { agents, locale } = useWords();
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{agents.columns.time}</th>
            <th scope="col">{agents.columns.kind}</th>
            <th scope="col">{agents.columns.task}</th>
            <th scope="col">{agents.columns.text}</th>
          </tr>
        </thead>
        <tbody>
          {marks.slice(0, 100).map((mark, index) => (
            <tr key={index}>
              <td class="one-line">{shortTime(mark.ts, locale)}</td>
              <td>
                <span class={`kind mark-${MARK_LOOKS[mark.kind].tone}`}>
                  <Icon name={MARK_LOOKS[mark.kind].icon} />
                  {agents.marks[mark.kind]}
                </span>
                {mark.other && ` ${nameOf(mark.other)}`}
              </td>
              <td class="one-line">
                <a href={hrefOf("time", mark.entity, { at: String(mark.revision) })}>{mark.entity}</a>
              </td>
              <td>
                <Sentence text={mark.text} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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
          {agents.events}
        </summary>
        <Marks marks={lane.marks.toReversed()} label={`${nameOf(lane.by)}: ${agents.events}`} />
      </details>
    </article>
  );
}
