/** Top of the page of a plan or task: what it is, how far it is, and what stands out. */
import type { ComponentChildren, JSX } from "preact";
import type { EntityAnswer, EntityRef } from "../../../src/views/viewer/api.ts";
import { isReady } from "../../../src/views/viewer/blocked.ts";
import { hrefOf } from "../address.ts";
import { useNow } from "../clock.ts";
import { Badge, heldUntil, isOpen, PACKET_LOOKS, StatusBadge, waitsBadge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PageLink, useLink } from "../parts/page_link.tsx";
import { Person } from "../parts/person.tsx";
import { nameOf } from "../text/actor_name.ts";
import { priorityName } from "../parts/priority.tsx";
import { PlanProgress } from "../parts/plan_progress.tsx";
import { Progress } from "../parts/progress.tsx";
import { useWords } from "../text/words.ts";

interface HeadProps {
  entity: EntityAnswer;
  /** It is a state of the past: how long ago says less than the date. */
  isPast?: boolean;
  children?: ComponentChildren;
}

export function EntityHead({ entity, isPast = false, children }: HeadProps): JSX.Element {
  const words = useWords();
  const { done, total } = entity.progress;
  return (
    <header class="entity-head">
      <p class="crumbs">
        <Icon name={entity.kind} /> <span class="id">{entity.id}</span>
        {entity.parent && (
          <>
            <span aria-hidden="true"> · </span>
            <EntityLink of={entity.parent} />
          </>
        )}
      </p>
      <h1>{entity.title}</h1>
      <div class="facts-line">
        <StatusBadge status={entity.status} />
        <EntitySignals entity={entity} />
        {total > 0 && entity.plan && (
          <>
            <PlanProgress tasks={entity.progress} steps={entity.plan.steps} />
            <span class="muted">{words.count.tasksDone(done, total)}</span>
          </>
        )}
        {total > 0 && !entity.plan && <Progress done={done} total={total} label={words.count.steps(done, total)} />}
        <span class="muted">
          {words.entity.updated} <Moment ts={entity.updated_at} as={isPast ? "short" : "relative"} />
        </span>
        {children}
      </div>
      {entity.status_reason && <p class="muted">{words.labelled(words.entity.statusReason, entity.status_reason)}</p>}
      {entity.source === "coco" && (
        <p class="notice">
          {words.entity.foreign} <code>taskfold adopt {entity.id}</code>
        </p>
      )}
      {entity.deleted && <p class="notice">{words.entity.deleted}</p>}
      {entity.archived && <p class="notice">{words.entity.archived}</p>}
    </header>
  );
}

function EntitySignals({ entity }: { entity: EntityAnswer }): JSX.Element {
  const words = useWords();
  const now = useNow();
  const failed = entity.steps.some((step) => step.checkpoints.some((one) => one.failed_commands.length > 0));
  const { packet } = entity;
  return (
    <>
      {entity.conflicts.length > 0 && (
        <Badge tone="orange" icon="conflict">
          {words.signal.conflicts} {entity.conflicts.length}
        </Badge>
      )}
      {failed && (
        <Badge tone="red" icon="failed">
          {words.signal.failed}
        </Badge>
      )}
      {packet && packet.state !== "archived" && (
        <Badge {...PACKET_LOOKS[packet.state]}>
          {words.labelled(words.signal.packet, words.packet.states[packet.state])}
        </Badge>
      )}
      {entity.waits_for.length > 0 && isOpen(entity.status) && (
        <Badge
          tone="plain"
          icon="wait"
          {...waitsBadge(
            entity.waits_for.map(({ id }) => id),
            words,
          )}
        />
      )}
      {entity.to_complete && (
        <Badge tone="green" icon="check">
          {words.signal.complete}
        </Badge>
      )}
      {isReady(entity) && (
        <Badge tone="blue" icon="ready" title={entity.ready?.title ?? words.signal.needsSteps}>
          {words.signal.ready}
        </Badge>
      )}
      {entity.claims
        .filter(({ holds }) => holds)
        .map((claim) => (
          <Badge
            key={`${claim.by} ${claim.step?.id}`}
            tone="violet"
            icon="claim"
            {...(claim.step ? { title: claim.step.title } : {})}
          >
            {nameOf(claim.by)} {heldUntil(claim, now, words)}
          </Badge>
        ))}
    </>
  );
}

export function EntityLink({ of }: { of: EntityRef }): JSX.Element {
  const linkTo = useLink();
  return (
    <a {...linkTo(of.id, of.kind)} class="entity-link">
      <span class="id">{of.id}</span> {of.title}
    </a>
  );
}

/** Beside the page: what has no section of its own. */
export function EntityDetails({ entity }: { entity: EntityAnswer }): JSX.Element {
  const words = useWords();
  const { entity: text } = words;
  const rows: [string, ComponentChildren][] = [];
  const add = (label: string, value: ComponentChildren): void => void (value && rows.push([label, value]));
  add(words.priority, priorityName(entity.priority, words));
  add(text.assignee, entity.assignee);
  add(text.domain, entity.domain);
  add(text.phase, entity.phase);
  add(text.component, entity.component);
  add(text.actors, entity.actors.length > 0 && <People list={entity.actors} />);
  add(
    text.instances,
    entity.agents.length > 0 && (
      <ul class="bare">
        {entity.agents.map((agent) => (
          <li key={agent.instance}>
            {agent.instance} <span class="muted">{agent.state}</span>
          </li>
        ))}
      </ul>
    ),
  );
  add(
    text.created,
    <>
      <Moment ts={entity.created_at} as="short" /> {text.by} <Person by={entity.created_by} />
    </>,
  );
  add(text.dependsOn, entity.depends_on.length > 0 && <Links refs={entity.depends_on} />);
  add(text.neededBy, entity.needed_by.length > 0 && <Links refs={entity.needed_by} />);
  add(text.tags, entity.tags.length > 0 && <Tags tags={entity.tags} />);
  add(
    text.revision,
    entity.source === "log" && (
      <a href={hrefOf("time", entity.id, { at: String(entity.revision) })}>
        {entity.revision}
        {entity.revision < entity.latest.revision && ` / ${entity.latest.revision}`}
      </a>
    ),
  );
  return (
    <section class="panel" aria-labelledby="details-title">
      <h2 id="details-title">{text.details}</h2>
      <dl class="facts">
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Tags({ tags }: { tags: readonly string[] }): JSX.Element {
  return (
    <ul class="tags">
      {tags.map((tag) => (
        <li key={tag}>
          <PageLink page="board" query={{ tag }} class="tag">
            {tag}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

function Links({ refs }: { refs: readonly EntityRef[] }): JSX.Element {
  return (
    <ul class="bare">
      {refs.map((one) => (
        <li key={one.id}>
          <EntityLink of={one} />
        </li>
      ))}
    </ul>
  );
}

function People({ list }: { list: readonly string[] }): JSX.Element {
  return (
    <ul class="bare inline">
      {list.map((by) => (
        <li key={by}>
          <Person by={by} />
        </li>
      ))}
    </ul>
  );
}
