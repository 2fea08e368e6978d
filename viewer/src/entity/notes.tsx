import type { JSX } from "preact";
import type { CardItem, EntityAnswer, NoteItem, TraceItem } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { Badge } from "../parts/badge.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { Empty } from "../parts/states.tsx";
import { useWords } from "../text/words.ts";
import { OlderPages } from "./older_pages.tsx";
import { List } from "./steps.tsx";

interface EntriesProps {
  entity: EntityAnswer;
  /** False for a state of the past. */
  present: boolean;
}

export function Notes({ entity, present }: EntriesProps): JSX.Element {
  const words = useWords();
  const people = entity.people.filter(({ text }) => text.trim() !== "");
  if (entity.notes_total === 0 && people.length === 0) return <Empty icon="note" title={words.notes.empty} />;
  return (
    <>
      {people.map(({ file, text }) => (
        <section key={file} class="panel">
          <h2>
            {words.notes.people} <span class="id">{file}</span>
          </h2>
          {file.endsWith(".md") ? <Markdown text={text} /> : <pre>{text}</pre>}
        </section>
      ))}
      <NoteList id={entity.id} notes={entity.notes} />
      <OlderPages<NoteItem>
        entity={entity}
        present={present}
        list="notes"
        newest={entity.notes.length}
        known={new Set(entity.notes.map(({ id }) => id))}
        total={entity.notes_total}
      >
        {(notes) => <NoteList id={entity.id} notes={notes} />}
      </OlderPages>
    </>
  );
}

function NoteList({ id, notes }: { id: string; notes: readonly NoteItem[] }): JSX.Element {
  const words = useWords();
  return (
    <ol class="bare entries">
      {notes.map((note) => (
        <li key={note.id} class="panel note">
          <p class="by-line muted">
            <Person by={note.by} /> <Moment ts={note.ts} />
            {note.step && (
              <a href={hrefOf("task", id, { step: note.step.path })}>
                {words.notes.onStep} <span class="id">{note.step.path}</span> {note.step.title}
              </a>
            )}
          </p>
          <Markdown text={note.text} />
        </li>
      ))}
    </ol>
  );
}

export function Reasoning({ entity, present }: EntriesProps): JSX.Element {
  const words = useWords();
  const { reasoning } = words;
  if (entity.cards_total === 0 && entity.trace_total === 0) return <Empty icon="note" title={reasoning.empty} />;
  const decided = new Set(entity.decisions.map(({ id }) => id));
  const cards = entity.cards.filter(({ id }) => !decided.has(id));
  return (
    <>
      <Cards title={reasoning.decisions} list={entity.decisions} />
      <Cards title={reasoning.cards} list={cards.toReversed()} />
      <OlderPages<CardItem>
        entity={entity}
        present={present}
        list="cards"
        newest={entity.cards.length}
        known={new Set([...decided, ...entity.cards.map(({ id }) => id)])}
        total={entity.cards_total}
      >
        {(list) => <Cards title={reasoning.cards} list={list} />}
      </OlderPages>
      {entity.trace.length > 0 && (
        <section class="panel">
          <h2>{reasoning.trace}</h2>
          <Trace lines={entity.trace} />
          <OlderPages<TraceItem>
            entity={entity}
            present={present}
            list="trace"
            newest={entity.trace.length}
            known={new Set(entity.trace.map(({ id }) => id))}
            total={entity.trace_total}
          >
            {(lines) => <Trace lines={lines} />}
          </OlderPages>
        </section>
      )}
    </>
  );
}

function Trace({ lines }: { lines: readonly TraceItem[] }): JSX.Element {
  return (
    <ol class="bare rows">
      {lines.map((line) => (
        <li key={line.id}>
          <span class="muted">
            <Moment ts={line.ts} as="short" /> <Person by={line.by} /> {line.kind}
          </span>
          <p>{line.text}</p>
        </li>
      ))}
    </ol>
  );
}

/** A card without a title of its own has the beginning of its text as one. */
function repeats({ title, text }: CardItem): boolean {
  return text.trimStart().startsWith(title.replace(/…$/, "").trim());
}

function Cards({ title, list }: { title: string; list: readonly CardItem[] }): JSX.Element | null {
  const { reasoning } = useWords();
  if (list.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="bare entries">
        {list.map((card) => (
          <li key={card.id} class="panel">
            <div class="entry-head">
              <Badge tone="plain" icon="note">
                {reasoning.stages[card.stage]}
              </Badge>
              {!repeats(card) && <h3>{card.title}</h3>}
              <span class="muted">{card.status}</span>
            </div>
            <Markdown text={card.text} />
            <p class="by-line muted">
              <Person by={card.by} /> <Moment ts={card.ts} />
              {card.supports.length > 0 && (
                <span>
                  {reasoning.supports} <span class="id">{card.supports.join(", ")}</span>
                </span>
              )}
              <span class="push id">{card.id}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Report({ entity }: { entity: EntityAnswer }): JSX.Element | null {
  const words = useWords();
  const { report } = entity;
  if (!report) return null;
  return (
    <section class="panel">
      <h2>{words.labelled(words.entity.report, report.title)}</h2>
      <p class="by-line muted">
        <Person by={report.by} /> <Moment ts={report.ts} />
      </p>
      <Markdown text={report.summary} />
      {report.agents.map((agent) => (
        <details key={agent.instance} class="fold">
          <summary>
            {agent.instance} <span class="muted">{agent.status}</span>
          </summary>
          <Markdown text={agent.summary} />
          <List
            lines={agent.conclusions.map(({ text, evidence }) =>
              evidence.length > 0 ? `${text} (${evidence.join(", ")})` : text,
            )}
          />
          {agent.questions.length > 0 && <h3>{words.entity.questions}</h3>}
          <List lines={agent.questions} />
          {agent.next_actions.length > 0 && <h3>{words.entity.nextActions}</h3>}
          <List lines={agent.next_actions} />
        </details>
      ))}
    </section>
  );
}
