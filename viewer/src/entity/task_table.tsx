/** The tasks of a plan: only the rows in sight are on the page, so that ten thousand of them scroll as twelve do. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { BoardRow, PlanPart } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { useWindow } from "../board/use_window.ts";
import { board, openBoard } from "../data/board.ts";
import { Badge, StatusBadge } from "../parts/badge.tsx";
import { Cut } from "../parts/cut.tsx";
import { Progress } from "../parts/progress.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";

type TaskRow = Pick<BoardRow, "id" | "title" | "status" | "progress"> & { archived?: boolean };

/** Rem of a row, whose title has two lines on a narrow screen. The style of `.tall` says the same. */
const ROW = { wide: 2.75, narrow: 4.5 };

/** The answer of a plan has a page of them, and the rows of the board have all. */
function useTasks(id: string, { tasks, tasks_total: total }: PlanPart): readonly TaskRow[] {
  const { rows } = useStore(board);
  const isCut = tasks.length < total;
  useEffect(() => {
    if (isCut) openBoard();
  }, [isCut]);
  const all = useMemo(() => (isCut ? rows.filter(({ plan }) => plan === id) : []), [isCut, rows, id]);
  return all.length > tasks.length ? all : tasks;
}

export function TaskTable({ id, plan }: { id: string; plan: PlanPart }): JSX.Element {
  const words = useWords();
  const { columns } = words.plan;
  const tasks = useTasks(id, plan);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const height = rem * (narrow ? ROW.narrow : ROW.wide);
  const tops = useMemo(() => Array.from({ length: tasks.length + 1 }, (_, at) => at * height), [tasks.length, height]);
  const seen = useWindow(box, tops);
  return (
    <>
      <div class="table-box tall" ref={box} tabIndex={0} role="region" aria-label={words.plan.tasks}>
        <table aria-rowcount={tasks.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{columns.task}</th>
              <th scope="col">{columns.status}</th>
              <th scope="col">{columns.progress}</th>
            </tr>
          </thead>
          <tbody>
            <Gap height={seen.before} />
            {tasks.slice(seen.first, seen.end).map((task, at) => (
              <tr key={task.id} aria-rowindex={seen.first + at + 2}>
                <td>
                  <a href={hrefOf("task", task.id)} class="task-title" title={task.title}>
                    <span class="id">{task.id}</span> {task.title}
                  </a>
                </td>
                <td>
                  <StatusBadge status={task.status} />{" "}
                  {task.archived && (
                    <Badge tone="plain" icon="archive">
                      {words.signal.archived}
                    </Badge>
                  )}
                </td>
                <td>
                  <Progress {...task.progress} label={words.count.steps(task.progress.done, task.progress.total)} />
                </td>
              </tr>
            ))}
            <Gap height={seen.after} />
          </tbody>
        </table>
      </div>
      <Cut shown={tasks.length} total={plan.tasks_total}>
        {words.state.loading}
      </Cut>
    </>
  );
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
