/** The tasks of a plan: only the rows in sight are on the page, so that ten thousand of them scroll as twelve do. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { BoardRow, PlanPart } from "../../../src/views/viewer/api.ts";
import { useWindow } from "../board/use_window.ts";
import { useNow } from "../clock.ts";
import { board, openBoard } from "../data/board.ts";
import { Badge, SignalBadges, signalsOf, StatusBadge } from "../parts/badge.tsx";
import { Cut } from "../parts/cut.tsx";
import { useLink } from "../parts/page_link.tsx";
import { placeSignals } from "../parts/place_signals.ts";
import { PrintNote } from "../parts/print_note.tsx";
import { Priority } from "../parts/priority.tsx";
import { Progress } from "../parts/progress.tsx";
import { PartFailure } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";

/** Its row of the board comes later, and tells what stands out. */
type TaskRow = Pick<BoardRow, "id" | "title" | "status" | "progress"> & { archived?: boolean; row?: BoardRow };

/** Rem of a row, whose title has two lines on a narrow screen. The style of `.tall` says the same. */
const ROW = { wide: 3.75, narrow: 6 };
/** Rem beside what stands out, as the style sheet has them: the other columns, the sides of the cell, and the priority. */
const BESIDE = { wide: 25.5, narrow: 9 };

/** The answer of a plan has a page of them, and the rows of the board have all. */
function useTasks(id: string, { tasks }: PlanPart): readonly TaskRow[] {
  const { rows } = useStore(board);
  useEffect(openBoard, []);
  const all = useMemo(() => rows.filter(({ plan, deleted }) => plan === id && !deleted), [rows, id]);
  return useMemo(() => {
    if (all.length > tasks.length) return all.map((row) => ({ ...row, row }));
    const known = new Map(all.map((row) => [row.id, row]));
    return tasks.map((task) => {
      const row = known.get(task.id);
      return row ? { ...task, row } : task;
    });
  }, [all, tasks]);
}

export function TaskTable({ id, plan }: { id: string; plan: PlanPart }): JSX.Element {
  const words = useWords();
  const { columns } = words.plan;
  const tasks = useTasks(id, plan);
  const { rows, total, refusal } = useStore(board);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const height = rem * (narrow ? ROW.narrow : ROW.wide);
  const tops = useMemo(() => Array.from({ length: tasks.length + 1 }, (_, at) => at * height), [tasks.length, height]);
  const seen = useWindow(box, tops);
  const room = seen.width / rem - (narrow ? BESIDE.narrow : BESIDE.wide);
  return (
    <>
      {refusal && tasks.length < plan.tasks_total && (
        <PartFailure refusal={refusal} shown={rows.length} total={total} again={openBoard} />
      )}
      <div class="table-box tall" ref={box} tabIndex={0} role="region" aria-label={words.plan.tasks}>
        <table aria-rowcount={tasks.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{columns.task}</th>
              <th scope="col">{columns.status}</th>
              {!narrow && <th scope="col">{columns.progress}</th>}
            </tr>
          </thead>
          <tbody>
            <Gap height={seen.before} />
            {tasks.slice(seen.first, seen.end).map((task, at) => (
              <Row key={task.id} task={task} index={seen.first + at + 2} narrow={narrow} room={room} />
            ))}
            <Gap height={seen.after} />
          </tbody>
        </table>
        <PrintNote lines={tasks.length} />
      </div>
      <Cut shown={tasks.length} total={plan.tasks_total}>
        {!refusal && words.state.loading}
      </Cut>
    </>
  );
}

interface RowProps {
  task: TaskRow;
  index: number;
  narrow: boolean;
  /** Rem for what stands out. */
  room: number;
}

/** A narrow screen has two columns: priority and progress stand below the status. */
function Row({ task, index, narrow, room }: RowProps): JSX.Element {
  const words = useWords();
  const linkTo = useLink();
  const { row } = task;
  const priority = row && <Priority value={row.priority} />;
  const progress = <Progress {...task.progress} label={words.count.steps(task.progress.done, task.progress.total)} />;
  return (
    <tr aria-rowindex={index}>
      <td>
        <a {...linkTo(task.id, "task")} class="task-title" title={task.title}>
          <span class="id">{task.id}</span> {task.title}
        </a>
        {row && (
          <p class="card-signals">
            {!narrow && priority}
            <StandsOut row={row} room={room} />
          </p>
        )}
      </td>
      <td>
        <StatusBadge status={task.status} />{" "}
        {task.archived && (
          <Badge tone="plain" icon="archive">
            {words.signal.archived}
          </Badge>
        )}
        {narrow && priority}
        {narrow && progress}
      </td>
      {!narrow && <td>{progress}</td>}
    </tr>
  );
}

/** The gravest of what stands out, on one line. */
function StandsOut({ row, room }: { row: BoardRow; room: number }): JSX.Element {
  const words = useWords();
  const now = useNow();
  // The column of the status tells of the archive.
  const all = signalsOf(row, now, words).filter(({ key }) => key !== "archived");
  const { lines, hidden } = placeSignals(all, [room]);
  return <SignalBadges list={lines.flat()} hidden={hidden} />;
}

/** Stands for the rows that are out of sight. */
function Gap({ height }: { height: number }): JSX.Element | null {
  if (height === 0) return null;
  return (
    <tr aria-hidden="true" class="gap">
      <td colSpan={3} style={{ height: `${height}px` }} />
    </tr>
  );
}
