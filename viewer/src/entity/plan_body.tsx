import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { DEFAULT_PLAN_DOC } from "../../../src/state/checklist.ts";
import type { EntityAnswer, PlanPart } from "../../../src/views/viewer/api.ts";
import { EntityBody } from "./entity_body.tsx";
import { PlanGraph } from "../graph/plan_graph.tsx";
import { Badge, STATUS_LOOKS } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Empty } from "../parts/states.tsx";
import { STATUSES } from "../../../src/state/entity.ts";
import { marksByPlan } from "../board/select.ts";
import { MarkSignals } from "../board/mark_signals.tsx";
import { board, openBoard } from "../data/board.ts";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { TaskTable } from "./task_table.tsx";

/** Counts of its tasks that stand out now, once the rows of the board are there. */
export function PlanSignals({ id }: { id: string }): JSX.Element | null {
  const { rows } = useStore(board);
  useEffect(openBoard, []);
  const counts = useMemo(() => marksByPlan(rows).get(id), [rows, id]);
  return counts ? <MarkSignals plan={id} counts={counts} /> : null;
}

/** A plan at one moment; its tasks and its graph are of the present alone. */
export function PlanBody({ entity, present }: { entity: EntityAnswer; present: boolean }): JSX.Element {
  const words = useWords();
  const { plan } = entity;
  if (!plan) return <EntityBody entity={entity} present={present} />;
  const { items } = plan.checklist;
  const own = [
    ...(present
      ? [
          {
            tab: { id: "progress", label: words.plan.tasks, count: plan.tasks_total },
            body: () => <Tasks id={entity.id} plan={plan} />,
          },
        ]
      : []),
    ...(present && entity.available.graph
      ? [
          {
            tab: { id: "graph", label: words.plan.graph },
            body: () => <PlanGraph id={entity.id} title={entity.title} />,
            wide: true,
          },
        ]
      : []),
    {
      tab: { id: "checklist", label: words.plan.checklist, count: items.length },
      body: () => <Checklist plan={plan} />,
    },
    { tab: { id: "contract", label: words.plan.contract }, body: () => <Contract plan={plan} /> },
  ];
  return <EntityBody entity={entity} present={present} own={own} />;
}

function Tasks({ id, plan }: { id: string; plan: PlanPart }): JSX.Element {
  const words = useWords();
  const { tasks_total: total, by_status: counts } = plan;
  if (total === 0) return <Empty icon="task" title={words.plan.noTasks} />;
  return (
    <>
      <ul class="bare status-bar" aria-label={words.plan.progress}>
        {STATUSES.filter((status) => counts[status] > 0).map((status) => (
          <li key={status} class={`part status-${status}`} style={{ flexGrow: counts[status] / total }}>
            <Icon name={STATUS_LOOKS[status].icon} />
            {words.status[status]} {counts[status]}
          </li>
        ))}
      </ul>
      <TaskTable id={id} plan={plan} />
    </>
  );
}

function Checklist({ plan }: { plan: PlanPart }): JSX.Element {
  const words = useWords();
  const { items } = plan.checklist;
  // The name that a plan has from its start names no document.
  const doc = plan.checklist.doc === DEFAULT_PLAN_DOC ? "" : plan.checklist.doc;
  if (items.length === 0 && !doc) return <Empty icon="plan" title={words.plan.noChecklist} />;
  const looks = { done: ["green", "done"], due: ["blue", "ready"], open: ["plain", "circle"] } as const;
  return (
    <section class="panel">
      {doc && (
        <p>
          <span class="muted">{words.labelled(words.plan.document, "")}</span>
          {doc}
        </p>
      )}
      <ol class="bare rows">
        {items.map((item, index) => {
          const [tone, icon] = looks[item.state];
          return (
            <li key={index} class="checklist-item">
              <Badge tone={tone} icon={icon}>
                {words.plan.item[item.state]}
              </Badge>
              <span>{item.text}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Contract({ plan }: { plan: PlanPart }): JSX.Element {
  const words = useWords();
  if (!plan.contract && plan.contract_data === null) return <Empty icon="file" title={words.plan.noContract} />;
  return (
    <section class="panel">
      {plan.contract && <Markdown text={plan.contract} />}
      {plan.contract_data !== null && (
        <>
          <h3>{words.plan.data}</h3>
          <pre tabIndex={0} aria-label={words.plan.data}>
            {JSON.stringify(plan.contract_data, null, 2)}
          </pre>
        </>
      )}
    </section>
  );
}
