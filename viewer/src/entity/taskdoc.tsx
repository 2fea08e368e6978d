/** The Taskdoc: each section with who wrote it last, and both texts where branches disagree. */
import type { JSX } from "preact";
import type { EntityAnswer, TaskdocSectionItem } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { Empty } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import type { Words } from "../text/en.ts";
import { useWords } from "../text/words.ts";
import { panesOf } from "./taskdoc_panes.ts";
import type { Pane } from "./taskdoc_panes.ts";

export function Taskdoc({ entity }: { entity: EntityAnswer }): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const panes = panesOf(entity.taskdoc);
  const chosen =
    panes.find((one) => one.name === query["section"]) ?? panes.find(({ section }) => section) ?? panes[0]!;
  return (
    <div class="taskdoc">
      <nav aria-label={words.entity.tabs.taskdoc}>
        <ul class="bare section-list">
          {panes.map((pane) => (
            <li key={pane.name}>
              <button
                type="button"
                class="section-choice"
                aria-current={pane === chosen ? "true" : undefined}
                onClick={() => choose({ section: pane.name }, true)}
              >
                <span class={pane.section ? undefined : "muted"}>{titleOf(pane, words.taskdoc)}</span>
                {pane.section?.conflict && <Icon name="conflict" />}
                {pane.section?.conflict && <span class="visually-hidden">{words.signal.conflicts}</span>}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      {chosen.section ? <Section section={chosen.section} /> : <Unwritten pane={chosen} />}
    </div>
  );
}

/** Sections that the engine names have a name for people, others the one that their writers gave. */
function titleOf({ name }: Pick<Pane, "name">, { sections }: Words["taskdoc"]): string {
  return Object.hasOwn(sections, name) ? sections[name]! : name;
}

function Unwritten({ pane }: { pane: Pane }): JSX.Element {
  const { taskdoc } = useWords();
  return (
    <article class="panel section">
      <h2>{titleOf(pane, taskdoc)}</h2>
      <Empty icon="file" title={taskdoc.unwritten} />
    </article>
  );
}

function Section({ section }: { section: TaskdocSectionItem }): JSX.Element {
  const words = useWords();
  const { taskdoc } = words;
  return (
    <article class="panel section">
      <h2>{titleOf(section, taskdoc)}</h2>
      <p class="by-line muted">
        <span>
          {taskdoc.last} <Moment ts={section.last.ts} /> {words.entity.by} <Person by={section.last.by} />
        </span>
        <span>{taskdoc.changes(section.changes)}</span>
        <span>{section.injected ? taskdoc.injected : taskdoc.recalled}</span>
      </p>
      {section.conflict ? (
        <>
          <p class="notice amber">{taskdoc.conflict}</p>
          <ul class="sides">
            {section.conflict.map((side) => (
              <li key={side.op} class={side.shown ? "side shown" : "side"}>
                <p class="by-line">
                  <Person by={side.by} /> <Moment ts={side.ts} />
                  {side.shown && (
                    <Badge tone="orange" icon="check">
                      {words.entity.shown}
                    </Badge>
                  )}
                </p>
                <Markdown text={side.content} />
              </li>
            ))}
          </ul>
        </>
      ) : section.content.trim() === "" ? (
        <Empty icon="file" title={taskdoc.empty} />
      ) : (
        <Markdown text={section.content} />
      )}
      {section.cut && <p class="muted">{taskdoc.cut}</p>}
    </article>
  );
}
