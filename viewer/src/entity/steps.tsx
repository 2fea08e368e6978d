/** Steps as a tree: each line says its state, an open one shows all that closing it asks for. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { EntityAnswer, NodeItem, StepItem } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { useNow } from "../clock.ts";
import { Badge, heldUntil, STEP_LOOKS } from "../parts/badge.tsx";
import { Cut } from "../parts/cut.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { Empty } from "../parts/states.tsx";
import { printing } from "../printing.ts";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { ProofCard, proofOf } from "./proof_card.tsx";
import type { ProofCheck } from "./proof_check.ts";

interface StepsProps {
  entity: EntityAnswer;
  proofCheck: ProofCheck;
}

export function Steps({ entity, proofCheck }: StepsProps): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(entity.steps, query["step"]));
  // Paper has no clicks: it holds every step, with its proof.
  const isPrinted = useStore(printing);
  const onlyOpen = query["open"] === "1";
  const shown = useMemo(() => entity.steps.filter((step) => !onlyOpen || !step.done), [entity.steps, onlyOpen]);
  const wanted = query["step"];
  const pages = Math.max(1, Math.ceil(shown.length / STEPS_PAGE));
  const [chosenPage, setPage] = useState(() => pageOf(shown, wanted));
  const page = Math.min(chosenPage, pages - 1);
  const list = isPrinted ? shown : shown.slice(page * STEPS_PAGE, (page + 1) * STEPS_PAGE);
  useEffect(() => {
    if (!wanted) return;
    setOpen((before) => new Set([...before, wanted]));
    setPage(pageOf(shown, wanted));
  }, [wanted]);
  useEffect(() => {
    if (wanted) document.getElementById(`step-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [wanted, page]);

  if (entity.steps.length === 0) return <Empty icon="task" title={words.steps.empty} />;
  const toggle = (path: string): void =>
    setOpen((before) => new Set(before.has(path) ? [...before].filter((one) => one !== path) : [...before, path]));
  const isAllOpen = list.every((step) => open.has(step.path));
  return (
    <section aria-labelledby="steps-title">
      <div class="section-tools">
        <h2 id="steps-title" class="visually-hidden">
          {words.steps.tree}
        </h2>
        <button
          type="button"
          class="button small"
          onClick={() => setOpen(new Set(isAllOpen ? [] : list.map((step) => step.path)))}
        >
          {isAllOpen ? words.steps.collapse : words.steps.expand}
        </button>
        <button
          type="button"
          class="button small toggle"
          aria-pressed={onlyOpen}
          onClick={() => choose({ open: onlyOpen ? undefined : "1" }, true)}
        >
          {words.steps.onlyOpen}
        </button>
        {pages > 1 && (
          <select
            aria-label={words.steps.tree}
            value={page}
            onChange={(event) => setPage(Number(event.currentTarget.value))}
          >
            {Array.from({ length: pages }, (_, index) => (
              <option key={index} value={index}>
                {index * STEPS_PAGE + 1} – {Math.min(shown.length, (index + 1) * STEPS_PAGE)} / {shown.length}
              </option>
            ))}
          </select>
        )}
      </div>
      {shown.length === 0 && <Empty icon="done" title={words.steps.noneOpen} />}
      <ol class="steps">
        {list.map((step) => (
          <Step
            key={step.id}
            entity={entity}
            step={step}
            proofCheck={proofCheck}
            open={isPrinted || open.has(step.path)}
            toggle={toggle}
            marked={step.path === wanted}
          />
        ))}
      </ol>
      <Cut shown={entity.steps.length} total={entity.steps_total}>
        {words.steps.rest(entity.id)}
      </Cut>
    </section>
  );
}

/** Steps on the page at once, each of them may be open. */
const STEPS_PAGE = 200;

function pageOf(steps: readonly StepItem[], wanted: string | undefined): number {
  const first = wanted ?? [...firstOpen(steps, undefined)][0];
  const at = steps.findIndex(({ path }) => path === first);
  return Math.floor(Math.max(at, 0) / STEPS_PAGE);
}

/** The step that is named, or the first that can be worked on. */
function firstOpen(steps: readonly StepItem[], wanted: string | undefined): ReadonlySet<string> {
  if (wanted) return new Set([wanted]);
  const first = steps.find((step) => !step.done && step.state !== "waiting") ?? steps.find((step) => !step.done);
  return new Set(first ? [first.path] : steps.length <= 3 ? steps.map((step) => step.path) : []);
}

interface StepPartProps {
  entity: EntityAnswer;
  step: StepItem;
  proofCheck: ProofCheck;
}

interface StepProps extends StepPartProps {
  open: boolean;
  toggle: (path: string) => void;
  marked: boolean;
}

/** Deeper steps stand no further to the right: a narrow screen has to hold them. */
const DEEPEST = 6;

function Step({ entity, step, proofCheck, open, toggle, marked }: StepProps): JSX.Element {
  const words = useWords();
  const looks = STEP_LOOKS[step.state];
  return (
    <li
      id={`step-${step.path}`}
      class={`step depth-${Math.min(step.depth, DEEPEST)}${marked ? " marked" : ""}`}
      data-state={step.state}
    >
      <button type="button" class="step-line" aria-expanded={open} onClick={() => toggle(step.path)}>
        <Icon name="chevron" />
        <span class="id">{step.path}</span>
        <span class="step-title">{step.title}</span>
        <CheckpointDots step={step} proofCheck={proofCheck} />
        <Badge tone={looks.tone} icon={looks.icon}>
          {words.step[step.state]}
        </Badge>
      </button>
      <WhyNot step={step} />
      {open && <StepBody entity={entity} step={step} proofCheck={proofCheck} />}
    </li>
  );
}

/** The page says here alone why the step is blocked or open again, so it stands there also while the step is folded. */
function WhyNot({ step }: { step: StepItem }): JSX.Element | null {
  const { steps, labelled } = useWords();
  if (step.done) return null;
  const lines: [IconName, string][] = [
    ...(step.block_reason === null ? [] : [["blocked", step.block_reason] as [IconName, string]]),
    ...step.blockers.map((blocker): [IconName, string] => ["wait", labelled(steps.waits, blocker)]),
    ...(step.reopened === null ? [] : [["undo", labelled(steps.reopened, step.reopened)] as [IconName, string]]),
  ];
  return lines.length === 0 ? null : (
    <ul class="bare why-not">
      {lines.map(([icon, text]) => (
        <li key={text}>
          <Icon name={icon} /> {text}
        </li>
      ))}
    </ul>
  );
}

/** The checkpoints that are asked for, at a glance. */
function CheckpointDots({ step, proofCheck }: { step: StepItem; proofCheck: ProofCheck }): JSX.Element {
  const { steps } = useWords();
  const asked = step.checkpoints.filter((one) => one.required || one.proof_state !== "none");
  const done = asked.filter((one) => one.confirmed && ["proved", "none"].includes(proofOf(step, one, proofCheck).look));
  return (
    <span class="dots" title={asked.map((one) => steps.names[one.name]).join(", ")}>
      <Icon name="check" />
      <span class="visually-hidden">{steps.checkpoints} </span>
      {done.length}/{asked.length}
    </span>
  );
}

function StepBody({ entity, step, proofCheck }: StepPartProps): JSX.Element {
  const words = useWords();
  const now = useNow();
  const { id } = entity;
  const { steps } = words;
  return (
    <div class="step-body">
      {step.forced && (
        <p class="notice amber">
          <Icon name="drift" /> {words.labelled(steps.forced, step.forced)}
        </p>
      )}
      {step.due.length > 0 && (
        <div class="due">
          <h3>{steps.due}</h3>
          <List lines={step.due.map(words.sentence)} />
        </div>
      )}
      <Checkpoints entity={entity} step={step} proofCheck={proofCheck} />
      <div class="columns">
        <Lines label={steps.criteria} lines={step.success_criteria} />
        <Lines label={steps.files} lines={step.files} mono />
        <Lines label={steps.confirm} lines={step.confirm.map((name) => steps.names[name])} />
        {step.waits_for.length > 0 && (
          <div>
            <h3>{steps.waits}</h3>
            <ul class="bare">
              {step.waits_for.map((other) => (
                <li key={other.id}>
                  <a href={hrefOf("task", id, { step: other.path })}>
                    <span class="id">{other.path}</span> {other.title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      {step.nodes.length > 0 && <TaskNodes nodes={step.nodes} />}
      <p class="by-line muted">
        {step.done_by && step.done_at && (
          <span>
            {steps.closed} <Moment ts={step.done_at} as="short" /> {words.entity.by} <Person by={step.done_by} />
          </span>
        )}
        {step.claim && (
          <span>
            {words.signal.claimed} <Person by={step.claim.by} /> <Moment ts={step.claim.claimed_at} as="short" />{" "}
            {heldUntil(step.claim, now, words)}
          </span>
        )}
        {step.notes > 0 && <a href={hrefOf("task", id, { tab: "notes" })}>{words.count.notes(step.notes)}</a>}
        <a class="push" href={hrefOf("task", id, { step: step.path })} aria-label={steps.linkTo(step.path)}>
          <Icon name="link" />
        </a>
      </p>
    </div>
  );
}

/** Which confirmation and which proof stands beside each claim. */
function Checkpoints({ entity, step, proofCheck }: StepPartProps): JSX.Element | null {
  const { steps } = useWords();
  const shown = step.checkpoints.filter(
    (one) => one.required || one.confirmed || one.links.length > 0 || one.proof !== "off",
  );
  if (shown.length === 0) return null;
  return (
    <ul class="checkpoints" aria-label={steps.checkpoints}>
      {shown.map((one) => (
        <ProofCard key={one.name} entity={entity} step={step} checkpoint={one} proofCheck={proofCheck} />
      ))}
    </ul>
  );
}

function Lines({
  label,
  lines,
  mono,
}: {
  label: string;
  lines: readonly string[];
  mono?: boolean;
}): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div class={mono ? "mono-lines" : undefined}>
      <h3>{label}</h3>
      <List lines={lines} />
    </div>
  );
}

export function List({ lines }: { lines: readonly string[] }): JSX.Element {
  return (
    <ul>
      {lines.map((line, index) => (
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}

function TaskNodes({ nodes }: { nodes: readonly NodeItem[] }): JSX.Element {
  const { steps, status } = useWords();
  return (
    <div>
      <h3>{steps.nodes}</h3>
      {nodes.map((node) => (
        <details key={node.id} class="fold">
          <summary>
            <Icon name="chevron" />
            <span class="id">{node.path}</span> {node.title} <span class="muted">{status[node.status]}</span>
          </summary>
          <p>{node.description}</p>
          <Lines label={steps.criteria} lines={node.success_criteria} />
          <Lines label={steps.nextSteps} lines={node.next_steps} />
          <Lines label={steps.blockers} lines={node.blockers} />
          <Lines label={steps.dependencies} lines={node.dependencies} />
          <Lines label={steps.problems} lines={node.problems} />
          <Lines label={steps.risks} lines={node.risks} />
        </details>
      ))}
    </div>
  );
}
