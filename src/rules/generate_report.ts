/**
 * Reporting what came of a plan or task, agent by agent (REPORT rules). Members that are not given are taken from the
 * state.
 */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { reportGenerated } from "../events/report.generated.ts";
import type { Agent, Entity, Step, Subject } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import type { EvidenceEntry } from "../state/evidence.ts";
import type { AgentReport, AgentStatus, Conclusion } from "../state/report.ts";
import { isBlocked } from "../state/blocked_step.ts";
import { proofsAmong } from "../state/checkpoint.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import { statusOf } from "../state/status.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { counted } from "../state/counted.ts";
import { listed, oneLine, sentence } from "./phrase.ts";
import { checkText, checkTitle, cleanList } from "./text.ts";

export interface AgentInput {
  instance: string;
  status?: AgentStatus;
  summary?: string;
  conclusions?: readonly (string | { text: string; evidence?: readonly string[] })[];
  questions?: readonly string[];
  next_actions?: readonly string[];
}

export interface ReportInput {
  title?: string;
  summary?: string;
  agents?: readonly AgentInput[];
}

/** UNKNOWN_ID for evidence that is not there; INVALID_INPUT for an agent that is named twice and for blank texts. */
export function generateReport({ entity }: Subject, input: ReportInput): Draft[] {
  const steps = [...preOrder(entity.children)];
  const closed = steps.filter((step) => step.done);
  const evidence = evidenceByAgent(entity);
  const agents = merged(derivedAgents(entity, closed, evidence), input.agents ?? [], entity);
  const title = checkTitle(input.title ?? entity.title);
  const others = evidence.get(null) ?? [];
  const cited =
    others.length === 0
      ? ""
      : `; ${listed(
          others.map(({ id }) => `evidence:${id}`),
          MAX_CITED,
        )}`;
  const summary =
    input.summary ?? `${statusOf(entity)}, ${closed.length} of ${counted(steps.length, "step")} closed${cited}`;
  return [
    reportGenerated.draft({
      title,
      summary: checkText(summary, "summary"),
      agents,
      message: sentence(`Reported on ${counted(agents.length, "agent")}`, title),
    }),
  ];
}

/**
 * Returns the roster of another program, then every actor who changed something, each with what it closed and decided.
 */
function derivedAgents(entity: Entity, closed: readonly Step[], evidence: EvidenceByAgent): AgentReport[] {
  const rostered = [...entity.agents.values()].map((agent): AgentReport => ({
    ...nothingOf(agent.instance, agent.agent),
    status: statusOfAgent(agent),
    conclusions: captured(evidence.get(agent)),
  }));
  return [...rostered, ...actorsOf(entity).map((by) => ofActor(entity, closed, by, evidence))];
}

function actorsOf(entity: Entity): string[] {
  return [...entity.acted.keys()].filter((by) => by.includes(":"));
}

/** Entries that are linked to no checkpoint: by an actor, by an agent of another program in whose folder they lie, or null by neither. */
type EvidenceByAgent = ReadonlyMap<string | Agent | null, EvidenceEntry[]>;

function evidenceByAgent(entity: Entity): EvidenceByAgent {
  const linked = new Set<string>();
  for (const { linked: links } of entity.steps.values())
    for (const c of CHECKPOINTS) for (const { evidence } of links[c]) linked.add(evidence);
  const actors = new Set(actorsOf(entity));
  const agents = [...entity.agents.values()];
  const of = new Map<string | Agent | null, EvidenceEntry[]>();
  for (const entry of entity.evidence) {
    if (linked.has(entry.id)) continue;
    const by = entity.facts.get(entry.id)?.by ?? "";
    const who = actors.has(by) ? by : (agents.find(({ instance }) => liesWith(entry, instance)) ?? null);
    const known = of.get(who);
    if (known) known.push(entry);
    else of.set(who, [entry]);
  }
  return of;
}

/** Whether a file of the entry lies in the folder of an agent (DIR-3). */
function liesWith({ artifactRefs = [], sources }: EvidenceEntry, instance: string): boolean {
  const refs = sources.flatMap((one) => {
    if (one.type === "fileAnchor") return [];
    return one.type === "commandExecution" ? [one.stdoutRef, one.stderrRef] : [one.eventsRef];
  });
  return [...artifactRefs, ...refs].some((ref) => ref?.startsWith(`./agents/${instance}/`));
}

function captured(entries: readonly EvidenceEntry[] = []): Conclusion[] {
  if (entries.length === 0) return [];
  const text = `Captured ${listed(entries.map(({ title }) => oneLine(title)))}`;
  return [{ text, evidence: entries.slice(-LIMITS.reportItems).map(({ id }) => id) }];
}

const MAX_CITED = 20;

function ofActor(entity: Entity, closed: readonly Step[], by: string, evidence: EvidenceByAgent): AgentReport {
  const [kind = "", name = ""] = by.split(/:(.*)/s);
  const steps = closed.filter((step) => step.done_by === by).map(ofStep);
  const cards = entity.decisions.map((id) => entity.cards.get(id)!);
  const decisions = cards
    .filter((card) => !card.gone && card.by === by)
    .map((card): Conclusion => ({ text: `Decided: ${card.title}`, evidence: [] }));
  const conclusions = [...steps, ...decisions];
  const beside = captured(evidence.get(by));
  const summary = `${counted(steps.length, "step")} closed, ${counted(decisions.length, "decision")}`;
  return {
    ...nothingOf(name, kind),
    status: statusOfWork(entity),
    summary,
    // The last ones: who did more has said so in reports before.
    conclusions: [...conclusions.slice(-LIMITS.reportItems + beside.length), ...beside],
  };
}

function ofStep(step: Step): Conclusion {
  const evidence = CHECKPOINTS.flatMap((c) => proofsAmong(step.linked[c]).map((l) => l.evidence));
  return {
    text: `Closed ${pathOf(step)} ${step.title}`,
    evidence: [...new Set(evidence)].slice(0, LIMITS.reportItems),
  };
}

function nothingOf(instance: string, agent: string): AgentReport {
  return { instance, agent, status: "working", summary: "", conclusions: [], questions: [], next_actions: [] };
}

function statusOfAgent({ state }: Agent): AgentStatus {
  if (state === "completed") return "success";
  if (state === "failed") return "failed";
  return state === "awaiting" ? "blocked" : "working";
}

function statusOfWork(entity: Entity): AgentStatus {
  if (entity.status === "DONE") return "success";
  if (entity.status === "FAILED" || entity.status === "CANCELED") return "failed";
  for (const step of preOrder(entity.children)) if (isBlocked(step) && !step.done) return "blocked";
  return "working";
}

/**
 * Returns the derived agents with the given members in place of theirs; agents that were not known come after the
 * others.
 */
function merged(derived: readonly AgentReport[], given: readonly AgentInput[], entity: Entity): AgentReport[] {
  const agents = [...derived];
  const seen = new Set<string>();
  given.forEach((input, i) => {
    const at = `agents[${i}]`;
    const instance = checkTitle(input.instance, `${at}.instance`);
    if (seen.has(instance)) {
      throw new TaskfoldError("INVALID_INPUT", `Expected each agent once, found ${instance} again in ${at}.`, {
        recovery: "Put all of it into one entry.",
      });
    }
    seen.add(instance);
    const index = agents.findIndex((one) => one.instance === instance);
    const before = agents[index] ?? nothingOf(instance, "agent");
    const { status, summary, conclusions, questions, next_actions } = input;
    const after: AgentReport = {
      ...before,
      ...(status === undefined ? {} : { status }),
      ...(summary === undefined ? {} : { summary: checkText(summary, `${at}.summary`) }),
      ...(conclusions
        ? { conclusions: conclusions.map((one, k) => concluded(one, `${at}.conclusions[${k}]`, entity)) }
        : {}),
      ...(questions ? { questions: cleanList(questions, `${at}.questions`) } : {}),
      ...(next_actions ? { next_actions: cleanList(next_actions, `${at}.next_actions`) } : {}),
    };
    if (index < 0) agents.push(after);
    else agents[index] = after;
  });
  return agents;
}

function concluded(
  input: string | { text: string; evidence?: readonly string[] },
  at: string,
  entity: Entity,
): Conclusion {
  const { text, evidence = [] } = typeof input === "string" ? { text: input } : input;
  if (checkText(text, at).trim() === "") {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${at} to say something, found only blanks.`, {
      recovery: "Say what is known now, or leave the entry out.",
    });
  }
  return { text, evidence: evidence.map((id) => citedOf(id, entity)) };
}

/** An id as it is, or as it is cited: `evidence:<id>`. */
function citedOf(given: string, entity: Entity): string {
  const id = given.replace(/^evidence:/, "");
  if (entity.evidence.some((entry) => entry.id === id)) return id;
  throw new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the id of an evidence entry, found ${JSON.stringify(id.slice(0, 80))}.`,
    {
      ...remedy`shared/evidence/index.json lists them; ${toolName("tasks_evidence_capture")} gives the id of what it captured.`,
    },
  );
}
