/** Plans with their progress: only the cards in sight are on the page, so that thousands of them scroll as ten do. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { stepsOf } from "../../../src/views/viewer/plan_steps.ts";
import { address, hrefOf } from "../address.ts";
import { marksByPlan, tasksByPlan } from "../board/select.ts";
import type { MarkCounts } from "../board/select.ts";
import { signalsOf } from "../board/mark_signals.tsx";
import { useWindow } from "../board/use_window.ts";
import { board, openBoard } from "../data/board.ts";
import { SignalBadges, Signals, StatusBadge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { placeSignals } from "../parts/place_signals.ts";
import { PrintNote } from "../parts/print_note.tsx";
import { PlanProgress } from "../parts/plan_progress.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { Empty, Failure, Loading, PartFailure } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";

/** In rem, as the style sheet has them: height of a card, its width at least, and between two of them. */
const [CARD, COLUMN, GAP] = [12, 22, 1];
/** Rem of both sides of a card. */
const SIDES = 2.2;

export function PlansPage(): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { rows, total, complete, refusal } = useStore(board);
  useEffect(openBoard, []);
  const search = query["q"] ?? "";
  // No call archives a plan (ARCHIVE-1), and a deleted one is no plan to look at.
  const all = useMemo(() => rows.filter((row) => row.kind === "plan" && !row.deleted), [rows]);
  const plans = useMemo(() => all.filter((plan) => isFound(plan, search)), [all, search]);
  const marks = useMemo(() => marksByPlan(rows), [rows]);
  const tasks = useMemo(() => tasksByPlan(rows), [rows]);
  if (rows.length === 0 && refusal) return <Failure refusal={refusal} title={words.pages.plans} again={openBoard} />;
  if (!complete && rows.length === 0) return <Loading />;
  const loose = rows.filter((row) => row.kind === "task" && row.plan === null && !row.archived).length;
  return (
    <div class="page">
      <h1>{words.pages.plans}</h1>
      {refusal && <PartFailure refusal={refusal} shown={rows.length} total={total} again={openBoard} />}
      {all.length > 0 && (
        <div class="toolbar-row" role="search">
          <SearchField label={words.plans.search} />
          <span class="push muted" role="status">
            {plans.length === all.length ? words.count.plans(all.length) : words.count.cut(plans.length, all.length)}
          </span>
        </div>
      )}
      {all.length === 0 && !refusal && (
        <Empty icon="plan" title={words.plans.empty}>
          <p>{words.plans.emptyHint}</p>
        </Empty>
      )}
      {all.length > 0 && plans.length === 0 && <Empty icon="search" title={words.plans.noMatch} />}
      {plans.length > 0 && <Cards plans={plans} marks={marks} tasks={tasks} />}
      {loose > 0 && (
        <p>
          <a href={hrefOf("board", "", { plan: "-" })}>
            {words.labelled(words.plans.noPlan, words.count.tasks(loose))}
          </a>
        </p>
      )}
    </div>
  );
}

function isFound({ id, title }: BoardRow, search: string): boolean {
  return `${id}\n${title}`.toLowerCase().includes(search.trim().toLowerCase());
}

interface CardsProps {
  plans: readonly BoardRow[];
  marks: ReadonlyMap<string, MarkCounts>;
  tasks: ReadonlyMap<string, readonly BoardRow[]>;
}

function Cards({ plans, marks, tasks }: CardsProps): JSX.Element {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [columns, setColumns] = useState(1);
  const lines = Math.ceil(plans.length / columns);
  const tops = useMemo(() => Array.from({ length: lines + 1 }, (_, at) => at * (CARD + GAP) * rem), [lines, rem]);
  const seen = useWindow(box, tops);
  const fitting = Math.max(1, Math.floor((seen.width / rem + GAP) / (COLUMN + GAP)));
  useLayoutEffect(() => setColumns(fitting), [fitting]);
  const room = (seen.width / rem - (columns - 1) * GAP) / columns - SIDES;
  return (
    <div class="plan-box" ref={box} tabIndex={0} role="region" aria-label={words.pages.plans}>
      <div role="presentation" class="spacer" style={{ height: `${seen.before}px` }} />
      <ul class="bare plan-list" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
        {plans.slice(seen.first * columns, seen.end * columns).map((plan, at) => (
          <li key={plan.id} aria-posinset={seen.first * columns + at + 1} aria-setsize={plans.length}>
            <PlanCard plan={plan} counts={marks.get(plan.id)} tasks={tasks.get(plan.id) ?? []} room={room} />
          </li>
        ))}
      </ul>
      <div role="presentation" class="spacer" style={{ height: `${seen.after}px` }} />
      <PrintNote lines={lines} />
    </div>
  );
}

interface PlanCardProps {
  plan: BoardRow;
  /** Of its tasks; undefined where it has none. */
  counts: MarkCounts | undefined;
  tasks: readonly BoardRow[];
  room: number;
}

function PlanCard({ plan, counts, tasks, room }: PlanCardProps): JSX.Element {
  const { count } = useWords();
  return (
    <article class="panel plan-card">
      <p class="card-head">
        <span class="id">{plan.id}</span>
        <span class="muted">{count.tasksDone(plan.progress.done, plan.progress.total)}</span>
        <span class="push muted">
          <Moment ts={plan.updated_at} />
        </span>
      </p>
      <h2>
        <a href={hrefOf("plan", plan.id)} title={plan.title}>
          {plan.title}
        </a>
      </h2>
      <p class="facts-line">
        <StatusBadge status={plan.status} />
        <PlanProgress tasks={plan.progress} steps={stepsOf(tasks)} />
        <Signals row={plan} />
      </p>
      {counts && <CountsOfTasks counts={counts} room={room} />}
    </article>
  );
}

/** Counts of the tasks of a plan that stand out, on two lines. */
function CountsOfTasks({ counts, room }: { counts: MarkCounts; room: number }): JSX.Element | null {
  const words = useWords();
  const list = signalsOf(counts, words);
  const { lines, hidden } = placeSignals(list, [room, room]);
  if (list.length === 0) return null;
  return (
    <div class="standing" role="group" aria-label={words.plan.signals}>
      {lines.map((line, at) => (
        <p key={at} class="card-signals">
          <SignalBadges list={line} hidden={at > 0 ? hidden : []} />
        </p>
      ))}
    </div>
  );
}
