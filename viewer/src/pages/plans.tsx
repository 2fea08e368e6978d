import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { board, openBoard } from "../data/board.ts";
import { Signals, StatusBadge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Progress } from "../parts/progress.tsx";
import { Empty, Failure, Loading } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";

export function PlansPage(): JSX.Element {
  const words = useWords();
  const { rows, complete, refusal } = useStore(board);
  useEffect(openBoard, []);
  if (rows.length === 0 && refusal) return <Failure refusal={refusal} title={words.pages.plans} again={openBoard} />;
  if (!complete && rows.length === 0) return <Loading />;
  const plans = rows.filter((row) => row.kind === "plan" && !row.archived);
  const loose = rows.filter((row) => row.kind === "task" && row.plan === null && !row.archived).length;
  return (
    <div class="page">
      <h1>{words.pages.plans}</h1>
      {plans.length === 0 && (
        <Empty icon="plan" title={words.plans.empty}>
          <p>{words.plans.emptyHint}</p>
        </Empty>
      )}
      <ul class="bare plan-list">
        {plans.map((plan) => (
          <li key={plan.id}>
            <PlanCard plan={plan} />
          </li>
        ))}
      </ul>
      {loose > 0 && (
        <p>
          <a href={hrefOf("board", "", { plan: "-" })}>
            {words.plans.noPlan}: {words.count.tasks(loose)}
          </a>
        </p>
      )}
    </div>
  );
}

function PlanCard({ plan }: { plan: BoardRow }): JSX.Element {
  const words = useWords();
  const { done, total } = plan.progress;
  return (
    <article class="panel plan-card">
      <p class="card-head">
        <span class="id">{plan.id}</span>
        <span class="push muted">
          <Moment ts={plan.updated_at} />
        </span>
      </p>
      <h2>
        <a href={hrefOf("plan", plan.id)}>{plan.title}</a>
      </h2>
      <p class="facts-line">
        <StatusBadge status={plan.status} />
        <Signals row={plan} />
      </p>
      <Progress done={done} total={total} label={words.count.tasksDone(done, total)} />
    </article>
  );
}
