/** A task at one moment: the present on its own page, any revision on the page of time. */
import type { ComponentChildren, JSX } from "preact";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { ConflictItem, EntityAnswer } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Cut } from "../parts/cut.tsx";
import { Icon } from "../parts/icon.tsx";
import { Logged } from "../parts/local_times.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { PartOf } from "../parts/part_of.tsx";
import { Person } from "../parts/person.tsx";
import { When } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { Tab } from "../parts/tabs.tsx";
import { Warnings } from "../parts/warnings.tsx";
import { printing } from "../printing.ts";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { Conflicts, Gates } from "./conflicts.tsx";
import { EntityDetails } from "./entity_head.tsx";
import { Evidence } from "./evidence.tsx";
import { excerpt } from "./excerpt.ts";
import { Findings } from "./findings.tsx";
import { Notes, Reasoning, Report } from "./notes.tsx";
import { Packet } from "./packet.tsx";
import { Radar } from "./radar.tsx";
import { useProofCheck } from "./proof_check.ts";
import type { Broken, ProofCheck } from "./proof_check.ts";
import { Steps } from "./steps.tsx";
import { Taskdoc } from "./taskdoc.tsx";

interface BodyProps {
  entity: EntityAnswer;
  /** False for a state of the past. */
  present: boolean;
  /** Tabs that only plans have, before the others. */
  own?: Section[];
}

interface Section {
  tab: Tab;
  body: () => ComponentChildren;
  /** It needs the width of the page: what stands beside others comes below it. */
  wide?: boolean;
}

export function EntityBody({ entity, present, own = [] }: BodyProps): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { tabs } = words.entity;
  const proofCheck = useProofCheck(entity, present);
  const list: Section[] = [
    ...own,
    ...(entity.kind === "task"
      ? [
          {
            tab: { id: "steps", label: tabs.steps, count: entity.steps_total },
            body: () => <Steps entity={entity} proofCheck={proofCheck} />,
          },
        ]
      : []),
    ...(entity.packet
      ? [
          {
            tab: { id: "packet", label: tabs.packet },
            body: () => entity.packet && <Packet entity={entity} packet={entity.packet} present={present} />,
          },
        ]
      : []),
    {
      tab: {
        id: "taskdoc",
        label: tabs.taskdoc,
        count: entity.taskdoc.length,
        alert: entity.taskdoc.some((section) => section.conflict),
      },
      body: () => <Taskdoc entity={entity} />,
    },
    ...(entity.recent.length > 0
      ? [{ tab: { id: "history", label: tabs.history }, body: () => <Recent entity={entity} /> }]
      : []),
    {
      tab: { id: "evidence", label: tabs.evidence, count: entity.evidence_total },
      body: () => <Evidence entity={entity} present={present} />,
    },
    {
      tab: { id: "notes", label: tabs.notes, count: entity.notes_total },
      body: () => <Notes entity={entity} present={present} />,
    },
    {
      tab: { id: "reasoning", label: tabs.reasoning, count: entity.cards_total },
      body: () => <Reasoning entity={entity} present={present} />,
    },
    ...(present && entity.available.check
      ? [{ tab: { id: "check", label: tabs.check }, body: () => <Check id={entity.id} /> }]
      : []),
  ];
  const [first] = useState(() => firstTab(entity, list));
  const chosen = [query["tab"], first].map((id) => list.find(({ tab }) => tab.id === id)).find(Boolean) ?? list[0]!;
  const [main, more] = [list.slice(0, MAIN_TABS), list.slice(MAIN_TABS)];
  const isMore = more.includes(chosen);
  const show = (id: string): void => choose({ tab: id, step: undefined, entry: undefined });
  const opened = more.find(({ tab }) => (tab.count ?? 0) > 0) ?? more[0];
  return (
    <div class={chosen.wide ? "entity-body wide" : "entity-body"}>
      <div class="entity-main">
        {present && <Texts entity={entity} />}
        {entity.source === "log" && entity.warnings.length > 0 && <Warnings list={entity.warnings} />}
        <BrokenProof id={entity.id} broken={proofCheck.broken} />
        <StaleProof id={entity.id} stale={proofCheck.stale.filter(({ is_need }) => is_need)} />
        <Conflicts conflicts={besides(entity.conflicts, chosen.tab.id)} />
        <Tabs
          label={words.entity.sections}
          tabs={[
            ...main.map(({ tab }) => tab),
            ...(more.length > 0
              ? [{ id: MORE, label: tabs.more, alert: more.some(({ tab }) => tab.alert === true) }]
              : []),
          ]}
          chosen={isMore ? MORE : chosen.tab.id}
          choose={(id) => show(id === MORE ? opened!.tab.id : id)}
        >
          {isMore ? <More list={more} chosen={chosen} show={show} /> : chosen.body()}
        </Tabs>
      </div>
      <aside class="entity-side" aria-label={words.entity.details}>
        <Radar entity={entity} />
        <Gates gates={entity.gates.filter(({ own, state }) => !own || state !== "blocked")} />
        {!present && <Texts entity={entity} />}
        <Report entity={entity} />
        <EntityDetails entity={entity} />
      </aside>
    </div>
  );
}

/** Tabs beside "More", which has the others. */
const MAIN_TABS = 3;
const MORE = "more";

interface MoreProps {
  list: readonly Section[];
  chosen: Section;
  show: (id: string) => void;
}

function More({ list, chosen, show }: MoreProps): JSX.Element {
  const { entity } = useWords();
  return (
    <div class="taskdoc">
      <nav aria-label={entity.tabs.more}>
        <ul class="bare section-list">
          {list.map((one) => (
            <li key={one.tab.id}>
              <button
                type="button"
                class="section-choice"
                aria-current={one === chosen ? "true" : undefined}
                onClick={() => show(one.tab.id)}
              >
                <span>{one.tab.label}</span>
                {one.tab.count !== undefined && <span class="count">{one.tab.count}</span>}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div>{chosen.body()}</div>
    </div>
  );
}

/** Of a task without steps the first tab that holds something; a packet comes first. A live change moves no reader to another one. */
function firstTab({ kind, steps_total }: EntityAnswer, list: readonly Section[]): string | undefined {
  if (kind === "plan" || steps_total > 0) return undefined;
  const found = list.find(({ tab }) => tab.id === "packet") ?? list.find(({ tab }) => (tab.count ?? 0) > 0);
  return found?.tab.id;
}

/** Beside each claim stands its proof: a reader hears at once of one that no longer holds. */
function BrokenProof({ id, broken }: { id: string; broken: Broken }): JSX.Element | null {
  const words = useWords();
  if (broken.size === 0) return null;
  return (
    <div class="notice red">
      <p>
        <Icon name="failed" /> {words.evidence.brokenProof}
      </p>
      <PartOf list={[...broken]} size={SHOWN_BROKEN}>
        {(part) => (
          <ul class="bare broken">
            {part.map(([entry, { title, why, backs }]) => (
              <li key={entry}>
                <a href={hrefOf("task", id, { tab: "evidence", entry })}>{title}</a>{" "}
                <span>{why.map(words.sentence).join(" ")}</span>
                {backs.map((step) => (
                  <span key={step.id}>
                    {" · "}
                    {words.evidence.proves} <span class="id">{step.path}</span> {step.title}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        )}
      </PartOf>
    </div>
  );
}

const SHOWN_BROKEN = 5;

/** Work went on since: the run stands, and says nothing of the files of now. */
function StaleProof({ id, stale }: { id: string; stale: ProofCheck["stale"] }): JSX.Element | null {
  const words = useWords();
  if (stale.length === 0) return null;
  return (
    <div class="notice amber">
      <p>
        <Icon name="drift" /> {words.evidence.staleProof}
      </p>
      <PartOf list={stale} size={SHOWN_BROKEN}>
        {(part) => (
          <ul class="bare broken">
            {part.map(({ step, checkpoint, why }) => (
              <li key={`${step.id} ${checkpoint}`}>
                <a href={hrefOf("task", id, { step: step.path })}>
                  <span class="id">{step.path}</span> {step.title}
                </a>
                {" · "}
                {words.labelled(words.steps.names[checkpoint], "")}
                <span>{words.sentence(why)}</span>
              </li>
            ))}
          </ul>
        )}
      </PartOf>
    </div>
  );
}

/** The tab of the Taskdoc has both texts of its own conflicts. */
function besides(conflicts: readonly ConflictItem[], tab: string): readonly ConflictItem[] {
  return tab === "taskdoc" ? conflicts.filter(({ label }) => !label.startsWith("taskdoc.tsk/")) : conflicts;
}

/** Longer ones are folded: what there is to do stands on the first screen. */
const FOLDED_FROM = { characters: 1000, lines: 12 };

function isLong(text: string): boolean {
  return text.length > FOLDED_FROM.characters || text.split("\n").length > FOLDED_FROM.lines;
}

function Texts({ entity }: { entity: EntityAnswer }): JSX.Element | null {
  const { entity: words } = useWords();
  const texts = [
    { title: words.description, text: entity.description },
    { title: words.context, text: entity.context ?? "" },
  ].filter(({ text }) => text !== "");
  if (texts.length === 0) return null;
  return (
    <section class="panel">
      {texts.map(({ title, text }) =>
        isLong(text) ? (
          <LongText key={title} title={title} text={text} />
        ) : (
          <Fragment key={title}>
            <h2>{title}</h2>
            <Markdown text={text} />
          </Fragment>
        ),
      )}
    </section>
  );
}

/** Folded until a reader opens it. Paper has it open, and afterwards it stands as the reader left it. */
function LongText({ title, text }: { title: string; text: string }): JSX.Element {
  const isPrinted = useStore(printing);
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="fold"
      open={isOpen || isPrinted}
      onToggle={({ currentTarget: { open } }) => !printing.get() && setOpen(open)}
    >
      <summary>
        <Icon name="chevron" />
        <h2>{title}</h2> <span class="muted">{excerpt(text)}</span>
      </summary>
      <Markdown text={text} />
    </details>
  );
}

function Recent({ entity }: { entity: EntityAnswer }): JSX.Element {
  const words = useWords();
  return (
    <section class="panel">
      <h2>{words.entity.recent}</h2>
      <ol class="bare recent">
        {entity.recent.map((op, index) => (
          <li key={index}>
            <p>
              <Logged text={op.message} />
            </p>
            <p class="by-line muted">
              <Person by={op.by} /> <Moment ts={op.ts} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Check({ id }: { id: string }): JSX.Element {
  const words = useWords();
  const held = useAnswer(names.check(id));
  return (
    <When held={held}>
      {(check) => (
        <section>
          <p class="muted">
            {words.check.at} <Moment ts={check.checked_at} />
          </p>
          {check.drift && <p class="notice amber">{words.check.drift}</p>}
          {check.findings.length === 0 && (
            <p class="notice green">
              <Icon name="done" /> {words.check.fine}
            </p>
          )}
          <Findings list={check.findings} />
          <Cut shown={check.findings.length} total={check.findings_total}>
            {words.check.rest(id)}
          </Cut>
        </section>
      )}
    </When>
  );
}
