import type { JSX } from "preact";
import type { EntityAnswer, PlanPart } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { EntityBody } from "./entity_body.tsx";
import { PlanGraph } from "../graph/plan_graph.tsx";
import { Badge, STATUS_LOOKS, StatusBadge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Progress } from "../parts/progress.tsx";
import { Empty } from "../parts/states.tsx";
import { STATUSES } from "../board/select.ts";
import { useWords } from "../text/words.ts";

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
            tab: { id: "progress", label: words.plan.tasks, count: plan.tasks.length },
            body: () => <Tasks plan={plan} />,
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
  return <EntityBody entity={entity} present={present} first={own} />;
}

function Tasks({ plan }: { plan: PlanPart }): JSX.Element {
  const words = useWords();
  const { tasks, by_status: counts } = plan;
  if (tasks.length === 0) return <Empty icon="task" title={words.plan.noTasks} />;
  const total = tasks.length;
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
      <div class="table-box" tabIndex={0} role="region" aria-label={words.plan.tasks}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.plan.columns.task}</th>
              <th scope="col">{words.plan.columns.status}</th>
              <th scope="col">{words.plan.columns.progress}</th>
            </tr>
          </thead>
          <tbody>
            {tasks.map((task) => (
              <tr key={task.id}>
                <td>
                  <a href={hrefOf("task", task.id)}>
                    <span class="id">{task.id}</span> {task.title}
                  </a>{" "}
                  {task.archived && (
                    <Badge tone="plain" icon="archive">
                      {words.signal.archived}
                    </Badge>
                  )}
                </td>
                <td>
                  <StatusBadge status={task.status} />
                </td>
                <td>
                  <Progress {...task.progress} label={words.count.steps(task.progress.done, task.progress.total)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Checklist({ plan }: { plan: PlanPart }): JSX.Element {
  const words = useWords();
  const { doc, items } = plan.checklist;
  if (items.length === 0 && !doc) return <Empty icon="plan" title={words.plan.noChecklist} />;
  const looks = { done: ["green", "done"], due: ["blue", "ready"], open: ["plain", "circle"] } as const;
  return (
    <section class="panel">
      {doc && <Markdown text={doc} />}
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
