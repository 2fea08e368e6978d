import type { JSX } from "preact";
import { useWords } from "../text/words.ts";
import { Progress } from "./progress.tsx";

type Counts = Record<"done" | "total", number>;

/** By steps: a plan of a few large tasks moves, too. Where no task has a step, the bar alone, by tasks, whose number stands beside it. */
export function PlanProgress({ tasks, steps }: { tasks: Counts; steps: Counts }): JSX.Element {
  const { count } = useWords();
  if (steps.total === 0)
    return <Progress {...tasks} label={count.tasksDone(tasks.done, tasks.total)} numbers={false} />;
  const label = count.steps(steps.done, steps.total);
  return (
    <>
      <Progress {...steps} label={label} numbers={false} />
      <span>{label}</span>
    </>
  );
}
