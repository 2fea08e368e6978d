/** The story of an agent: its acts and claims, the newest first, and the places where it waits. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentLane, MarkKind } from "../../../src/views/viewer/api.ts";
import { choose, hrefOf } from "../address.ts";
import { Icon } from "../parts/icon.tsx";
import { LocalTimes } from "../parts/local_times.tsx";
import { Person } from "../parts/person.tsx";
import { Empty } from "../parts/states.tsx";
import { nameOf } from "../text/actor_name.ts";
import { useWords } from "../text/words.ts";
import { Marks, MARK_LOOKS, Spans } from "./tables.tsx";

export function Story({ lane, onlyFailures }: { lane: AgentLane; onlyFailures: boolean }): JSX.Element {
  const words = useWords();
  const { agents } = words;
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => head.current?.scrollIntoView({ block: "nearest" }), []);
  const kinds = (Object.keys(MARK_LOOKS) as MarkKind[]).filter((kind) => lane.counts[kind]);
  const marks = lane.marks.filter(({ kind }) => !onlyFailures || kind === "failure").toReversed();
  const total = onlyFailures
    ? (lane.counts.failure ?? 0)
    : Object.values(lane.counts).reduce((all, count) => all + count, 0);
  return (
    <section class="panel agent-story" aria-labelledby="story-title">
      <div class="entry-head" ref={head}>
        <h2 id="story-title">
          <Person by={lane.by} />
        </h2>
        <button
          type="button"
          class="button small toggle push"
          aria-pressed={onlyFailures}
          onClick={() => choose({ only: onlyFailures ? undefined : "failures" }, true)}
        >
          {agents.onlyFailures}
        </button>
      </div>
      <ul class="bare inline">
        {kinds.map((kind) => (
          <li key={kind} class={`kind mark-${MARK_LOOKS[kind].tone}`}>
            <Icon name={MARK_LOOKS[kind].icon} />
            {agents.marks[kind]} {lane.counts[kind]}
          </li>
        ))}
      </ul>
      {lane.waits.map((wait) => (
        <p key={`${wait.entity} ${wait.step?.id}`} class="notice amber">
          <Icon name="wait" />{" "}
          <a href={hrefOf("task", wait.entity, { step: wait.step?.path })}>
            {agents.waitsAt([wait.entity, wait.step?.path, wait.step?.title ?? wait.title].filter(Boolean).join(" "))}
          </a>{" "}
          <LocalTimes text={wait.why.map(words.sentence).join("; ")} />
        </p>
      ))}
      {marks.length === 0 ? (
        <Empty icon="done" title={agents.noFailure} />
      ) : (
        <Marks
          key={String(onlyFailures)}
          list={marks}
          total={total}
          label={words.labelled(nameOf(lane.by), agents.events)}
        />
      )}
      {lane.spans.length > 0 && <Held lane={lane} />}
    </section>
  );
}

/** Its rows stand on the page once a reader opens it: an agent may have five thousand. */
function Held({ lane }: { lane: AgentLane }): JSX.Element {
  const { agents, locale, labelled } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" />
        {agents.held} <span class="muted">{lane.spans_total.toLocaleString(locale)}</span>
      </summary>
      {isOpen && (
        <Spans list={lane.spans.toReversed()} total={lane.spans_total} label={labelled(nameOf(lane.by), agents.held)} />
      )}
    </details>
  );
}
