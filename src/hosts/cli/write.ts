/** Everyday commands that change something: each is one call of a tool, about what a person named. */
import type { Reply } from "../../engine/entity/reply.ts";
import { TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { callTool } from "./call.ts";
import type { CliResult } from "./cli_result.ts";
import type { IsStep, Page, StepRow } from "./page.ts";
import { isOpen, onlyStep, pageOf, stepMeant } from "./page.ts";
import { outcomeOf } from "./text/reply_text.ts";
import type { Session } from "./session.ts";
import { unblockAll } from "../../state/blocked_step.ts";
import { hasEnded } from "../../state/ended.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export function write(session: Session, tool: string, input: JsonObject): Promise<CliResult> {
  return session.within(async (workspace) =>
    outcomeOf(session, workspace, await callTool(session, workspace, tool, input)),
  );
}

/** Without what was left out. */
export function given(fields: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** A call about a step or, without one, about the whole. */
async function onPlace(session: Session, tool: string, at: Place, input: JsonObject): Promise<CliResult> {
  const step = at.step === undefined ? undefined : stepMeant(await pageOf(session, at.id), at.step, at.isFor);
  return write(session, tool, { ...given({ target: at.id, step_id: step?.step_id }), ...input });
}

/** The place that a person names: an id, or the focus, and a step of it. */
interface Place {
  id: string | undefined;
  step?: string | undefined;
  /** Which steps the command is for, where several fit the name. */
  isFor?: IsStep;
}

function stepCall(page: Page, step: StepRow | null, input: JsonObject): JsonObject {
  return { task: page.target.id, ...(step ? { step_id: step.step_id } : {}), ...input };
}

export function note(session: Session, id: string, words: string[], { step }: { step?: string }): Promise<CliResult> {
  return onPlace(session, "tasks_note", { id, step }, { note: words.join(" ") });
}

interface Done {
  confirm?: JsonObject | "gate" | "all";
  force?: boolean;
  reason?: string;
}

const isClosed: IsStep = (step) => step.done;
const isBlocked: IsStep = (step) => step.blocked || step.blockers.length > 0;

/** Closes a step; a task without open steps is completed. */
export async function done(session: Session, id: string, name: string | undefined, how: Done): Promise<CliResult> {
  const page = await pageOf(session, id);
  if (name === undefined && page.step_list.every((step) => step.done)) {
    if (how.confirm !== undefined || how.force)
      throw new TaskfoldError(
        "INVALID_INPUT",
        `Expected a step of ${page.target.id} to close, found none that is open.`,
        remedy`${TASKFOLD} done ${page.target.id} completes it.`,
      );
    return write(session, "tasks_complete", given({ target: page.target.id, reason: how.reason }));
  }
  const step = name === undefined ? onlyStep(page, "open", isOpen) : stepMeant(page, name, isOpen);
  if (how.force) return forced(session, page, step, how);
  if (how.confirm === undefined) return write(session, "tasks_done", stepCall(page, step, {}));
  return write(session, "tasks_close_step", stepCall(page, step, { checkpoints: how.confirm }));
}

/** Confirms only where nothing else stands in the way: a refused command leaves no confirmation behind. */
function forced(session: Session, page: Page, step: StepRow, { confirm, reason }: Done): Promise<CliResult> {
  if (reason === undefined)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected --reason beside --force, found none.",
      remedy`${TASKFOLD} done ${page.target.id} ${step.path}${confirm === undefined ? "" : " --confirm gate"} --force --reason WHY`,
    );
  const input = stepCall(page, step, given({ force: true, reason }));
  return session.within(async (workspace) => {
    const call = (tool: string, args: JsonObject): Promise<Reply> => callTool(session, workspace, tool, args);
    let reply = await call("tasks_progress", input);
    if (confirm !== undefined && isOnlyUnconfirmed(reply, confirm)) {
      reply = await call("tasks_verify", stepCall(page, step, { checkpoints: confirm }));
      if (reply.success) reply = await call("tasks_progress", input);
    }
    return outcomeOf(session, workspace, reply);
  });
}

function isOnlyUnconfirmed({ error }: Reply, confirm: NonNullable<Done["confirm"]>): boolean {
  if (error?.code !== "CHECKPOINTS_NOT_CONFIRMED" || error.details?.["missing_proofs"] !== undefined) return false;
  const named = confirm === "gate" ? ["criteria", "tests"] : confirm === "all" ? undefined : Object.keys(confirm);
  const missing = error.details?.["missing"] as string[];
  return named === undefined || missing.every((one) => named.includes(one));
}

/** Opens a closed step, or a plan or task that has ended. */
export async function reopen(
  session: Session,
  id: string,
  name: string | undefined,
  { reason }: { reason?: string },
): Promise<CliResult> {
  const page = await pageOf(session, id);
  const { target } = page;
  if (name !== undefined) {
    const input = given({ completed: false, reason });
    return write(session, "tasks_progress", stepCall(page, stepMeant(page, name, isClosed), input));
  }
  if (!hasEnded(target)) {
    const step = onlyStep(page, "closed", isClosed);
    return write(session, "tasks_progress", stepCall(page, step, given({ completed: false, reason })));
  }
  return session.within(async (workspace) => {
    const set = (status: string): Promise<Reply> =>
      callTool(session, workspace, "tasks_complete", given({ target: target.id, status, reason }));
    const reply = await set("TODO");
    if (reply.error?.code !== "WORK_BEGUN") return outcomeOf(session, workspace, reply);
    const again = await set("ACTIVE");
    return outcomeOf(session, workspace, { ...again, warnings: [...reply.warnings, ...again.warnings] });
  });
}

export async function block(
  session: Session,
  id: string,
  name: string | undefined,
  { reason }: { reason?: string },
): Promise<CliResult> {
  const page = await pageOf(session, id);
  const step = name === undefined ? onlyStep(page, "open", isOpen) : stepMeant(page, name, isOpen);
  return write(session, "tasks_block", stepCall(page, step, given({ reason })));
}

export async function unblock(session: Session, id: string, name: string | undefined): Promise<CliResult> {
  const page = await pageOf(session, id);
  const step = name === undefined ? onlyStep(page, "blocked", isBlocked) : stepMeant(page, name, isBlocked);
  if (step.blocked && step.blockers.length > 0)
    return write(session, "tasks_batch", unblockAll({ task: page.target.id, step_id: step.step_id }));
  if (step.blocked || step.blockers.length === 0)
    return write(session, "tasks_block", stepCall(page, step, { blocked: false }));
  return write(session, "tasks_define", stepCall(page, step, { blockers: [] }));
}

interface ClaimOptions {
  for?: number;
  next?: boolean;
  whole?: boolean;
}

/** Without an id the next ready step of all; with one that plan or task, or a step of it. */
export async function claim(
  session: Session,
  id: string | undefined,
  step: string | undefined,
  { for: ttl_s, next, whole }: ClaimOptions,
): Promise<CliResult> {
  if (step !== undefined && (next || whole)) throw stepAnd(id!, step, next ? "--next" : "--whole");
  if (id === undefined || next) return write(session, "tasks_claim_next", given({ target: id, ttl_s, whole }));
  return onPlace(session, "tasks_claim", { id, step, isFor: isOpen }, given({ ttl_s }));
}

function stepAnd(id: string, step: string, option: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a step or ${option}, found the step ${step} with ${option}.`,
    remedy`${TASKFOLD} claim ${id} claims the whole task, ${TASKFOLD} claim ${id} --next the next ready step of it.`,
  );
}

interface ReleaseOptions {
  force?: boolean;
  reason?: string;
}

/** Without a step the only claim that the caller has there. */
export async function release(
  session: Session,
  id: string | undefined,
  name: string | undefined,
  how: ReleaseOptions,
): Promise<CliResult> {
  const input = given({ force: how.force, reason: how.reason });
  if (id === undefined) {
    const { myClaims } = await import("./work.ts");
    const mine = await myClaims(session);
    if (mine.length !== 1) throw whichClaim(mine);
    const { id: task, path } = mine[0]!;
    return write(session, "tasks_release", { ...given({ target: task, path: path ?? undefined }), ...input });
  }
  if (name !== undefined) return onPlace(session, "tasks_release", { id, step: name, isFor: isOpen }, input);
  const page = await pageOf(session, id);
  const by = await session.by();
  const mine = page.claims.filter((one) => how.force === true || one.by === by);
  if (mine.length > 1 && mine.every(({ path }) => path !== null))
    throw whichClaim(mine.map(({ path }) => ({ id: page.target.id, path })));
  const path = mine.length === 1 ? (mine[0]!.path ?? undefined) : undefined;
  return write(session, "tasks_release", { ...given({ target: page.target.id, path }), ...input });
}

function whichClaim(claims: readonly { id: string; path: string | null }[]): TaskfoldError {
  const named = claims.slice(0, 10).map(({ id, path }) => (path === null ? id : `${id} ${path}`));
  return new TaskfoldError(
    "TARGET_REQUIRED",
    `Expected the claim to give back, because ${claims.length === 0 ? "none is yours" : `${claims.length} are yours`}.`,
    named.length === 0
      ? remedy`${TASKFOLD} status shows what is claimed.`
      : { recovery: `They are ${named.join(", ")}.` },
  );
}

interface CompleteOptions {
  status?: string;
  reason?: string;
}

export function complete(session: Session, id: string | undefined, how: CompleteOptions): Promise<CliResult> {
  return write(session, "tasks_complete", given({ target: id, status: how.status, reason: how.reason }));
}
