/** Runs a command and records the run as evidence that Taskfold made itself (PROOF-46). */
import type { Bytes, Signal } from "../global_types.ts";
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import {
  FUNCTION,
  LIST,
  MILLISECONDS,
  OBJECT,
  SIGNAL,
  TEXT,
  TEXTS,
  checkNamed,
} from "../engine/core/input/named_options.ts";
import type { Expected } from "../engine/core/input/named_options.ts";
import { folderBelow } from "../engine/core/folder_below.ts";
import { internalsOf } from "../engine/groups/internals.ts";
import type { CaptureAccess } from "../engine/groups/internals.ts";
import type { GitListing, GitPort } from "../engine/core/git_port.ts";
import type { Reply } from "../engine/entity/reply.ts";
import { unwrap } from "../engine/entity/unwrap.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { Warning } from "../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { readRegular } from "../files/atomic.ts";
import type { StartedRun } from "../rules/evidence_item.ts";
import { changesBetween, changesBytes, treeDigest, withChanges } from "../rules/staleness.ts";
import type { Changes, Files } from "../rules/staleness.ts";
import type { Degree } from "../state/degree.ts";
import type { Checkpoint } from "../state/entity.ts";
import { shellLine } from "../state/shell_quote.ts";
import { CapturedOutput } from "./captured_output.ts";

/** The step or task that a run is evidence of. */
export interface CaptureTarget {
  /** Id of the task. */
  task: string;
  /** Path or id of the step; left out: the run is evidence on the whole task. */
  path?: string;
  step_id?: string;
  /** The declared test that it is for, by its text or its place from 0. Default: the one that is its command. */
  test?: string | number;
}

export interface CaptureOptions extends CaptureTarget {
  argv: readonly string[];
  /** The root of the workspace, which is the default, or a folder below it. */
  cwd?: string;
  /** All that the command gets. Default: the environment of this process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The checkpoints that it proves. Default on a step: tests. On a plan or task as a whole: none, and then it keeps nothing from its end. */
  checkpoints?: readonly Checkpoint[];
  /** Then its whole process group ends. Default: an hour. */
  timeoutMs?: number;
  signal?: Signal;
  /** The actor that records it. Default: that of the workspace. */
  actor?: string;
  /** Told what the command prints, as it comes. */
  onOutput?: (stream: "stdout" | "stderr", chunk: Bytes) => void;
}

export interface CapturedRunResult {
  exit_code: number;
  timed_out: boolean;
  /** Id of the entry; null where the run was aborted, and nothing was recorded. */
  evidence: string | null;
  degree: Degree;
  warnings: Warning[];
}

/** The start of the command, by a host or by the machine. */
export interface StartRequest {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  onStdout: (chunk: Buffer) => void;
  onStderr: (chunk: Buffer) => void;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export interface StartedResult {
  exit_code: number;
  timed_out: boolean;
  aborted: boolean;
}

/** The one question of a run to git. */
export type ListingPort = Pick<GitPort, "listingBeside">;

/** A target, and the checkpoints that a run is for there. */
export type CaptureFor = CaptureTarget & Pick<CaptureOptions, "checkpoints">;

/** For hosts: who starts the command, and where. */
export interface CaptureMeans {
  start?: (request: StartRequest) => Promise<StartedResult>;
  /** Git of the workspace, if it is open already, and the work tree as it was when the host began. So git works beside the host. */
  git?: ListingPort | undefined;
  before?: Promise<GitListing | undefined>;
  /** The command as a step declares it, where `argv` starts a shell for it. */
  command?: string;
  /** Further steps that declare the same test: one run is evidence of each. */
  also?: readonly CaptureFor[];
  /** A work tree that Taskfold made from a commit. The run is a repeat if nothing in it differs from the commit. */
  checkout?: { root: string; git: ListingPort };
}

export interface CaptureOutcome extends StartedResult {
  /** Null where it was aborted. */
  reply: Reply | null;
  /** Those of `also`, in their order. */
  others: Reply[];
  degree: Degree;
}

const AN_HOUR_MS = 60 * 60 * 1000;

const OPTIONS: Record<keyof CaptureOptions, Expected> = {
  task: TEXT,
  path: TEXT,
  step_id: TEXT,
  test: { fits: (value) => typeof value === "string" || typeof value === "number", words: "text or a number" },
  argv: { fits: TEXTS.fits, words: "a list of a program and its arguments" },
  cwd: TEXT,
  env: OBJECT,
  checkpoints: LIST,
  timeoutMs: MILLISECONDS,
  signal: SIGNAL,
  actor: TEXT,
  onOutput: FUNCTION,
};

/**
 * Runs the command in a process group of its own and records the run. Rejects with the refusal if it cannot be recorded; a command that
 * fails is recorded as failed. A workspace that was opened without `git` gets no commit and no digest.
 */
export async function runCaptured(workspace: Workspace, given: CaptureOptions): Promise<CapturedRunResult> {
  const options = checkNamed(
    "runCaptured",
    given,
    OPTIONS,
    'runCaptured(workspace, { task: "TASK-001", path: "s:0", argv: ["npm", "test"] })',
  );
  const { exit_code, timed_out, reply, degree } = await captureRun(workspace, options);
  if (!reply) return { exit_code, timed_out, evidence: null, degree: "claimed", warnings: [] };
  const { evidence } = unwrap(reply) as { evidence: { id: string }[] };
  return { exit_code, timed_out, evidence: evidence[0]!.id, degree, warnings: reply.warnings };
}

/** The same for the hosts of this package: a refusal comes back in the reply. */
export async function captureRun(
  workspace: Workspace,
  options: CaptureOptions,
  means: CaptureMeans = {},
): Promise<CaptureOutcome> {
  const internals = internalsOf(workspace);
  const access = internals.captureAccess;
  const { argv, cwd = means.checkout?.root ?? access.root, timeoutMs = AN_HOUR_MS, signal, onOutput } = options;
  if (!argv[0]) throw noCommand();
  const env = environmentOf(options.env ?? process.env);
  const root = means.checkout?.root ?? access.root;
  const folder = folderOf(access, root, cwd);
  const git = means.checkout?.git ?? means.git ?? access.git();
  const { before, end } = await beginCapture(access, { argv, env, root, git, before: means.before });
  const [stdout, stderr] = [new CapturedOutput(), new CapturedOutput()];
  const ended = await (means.start ?? groupOf(access))({
    argv,
    cwd,
    env,
    onStdout: (chunk) => (stdout.add(chunk), onOutput?.("stdout", chunk)),
    onStderr: (chunk) => (stderr.add(chunk), onOutput?.("stderr", chunk)),
    timeoutMs,
    signal,
  });
  const ended_at = new Date(access.now()).toISOString();
  const isClean = means.checkout !== undefined && before?.commit !== undefined && before.changed.size === 0;
  const degree: Degree = isClean ? "repeated" : "captured";
  if (ended.aborted) return { ...ended, reply: null, others: [], degree };
  const captured: StartedRun = { ...(await end(ended_at)), ...(isClean ? { checkout: "clean" as const } : {}) };
  const item = {
    kind: "command",
    command: means.command ?? shellLine(argv),
    ...folder,
    exit_code: ended.exit_code,
    ...outputOf({ stdout, stderr }, access.redactorOf(options.task)),
    captured,
  };
  const record = ({ task, path, step_id, test, checkpoints }: CaptureFor): Promise<Reply> => {
    const isOnStep = path !== undefined || step_id !== undefined;
    const checkpoint = checkpoints ?? (isOnStep ? ["tests" as const] : undefined);
    return internals.captureEvidence(
      {
        task,
        ...(workspace.id === undefined ? {} : { workspace: workspace.id }),
        ...(path === undefined ? {} : { path }),
        ...(step_id === undefined ? {} : { step_id }),
        items: [{ ...item, ...(test === undefined ? {} : { test }) }],
        ...(checkpoint === undefined ? {} : { checkpoint }),
      },
      options.actor,
    );
  };
  const reply = await record(options);
  const others: Reply[] = [];
  for (const target of means.also ?? []) others.push(await record(target));
  return { ...ended, reply, others, degree };
}

interface Begun {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  root: string;
  git: ListingPort | undefined;
  before?: Promise<GitListing | undefined> | undefined;
}

/** Begins the record of a run, before the command starts; `end` is called with the time when it ended. */
export async function beginCapture(
  access: Pick<CaptureAccess, "disks" | "now">,
  { argv, env, root, git, before: looking }: Begun,
): Promise<{ before: GitListing | undefined; end: (ended_at: string) => Promise<StartedRun> }> {
  const before = await (looking ?? look(git));
  const lock = lockOf(access, root);
  const started = access.now();
  const started_at = new Date(started).toISOString();
  const end = async (ended_at: string): Promise<StartedRun> => {
    const looking = before && look(git);
    // Git lists the files meanwhile.
    const found = before && foundBy(before);
    const wrote = before && wroteBetween(before, await looking, started);
    const among = before && wrote && withCommitted(before, wrote);
    return {
      argv: argv.map((part) => part.toWellFormed()),
      env: Object.keys(env).toSorted(),
      started_at,
      ended_at,
      ...(among ? foundBy(among) : found),
      ...(before ? leftBy(wrote) : {}),
      ...(lock ? { lock } : {}),
      platform: `${process.platform}-${process.arch} node-${process.versions.node}`,
    };
  };
  return { before, end };
}

/** The work tree as git has it. Undefined where there is no git, and where it cannot say. */
export async function look(git: ListingPort | undefined): Promise<GitListing | undefined> {
  try {
    return await git?.listingBeside();
  } catch {
    // A run counts without it; that it cannot be compared later is said then.
    return undefined;
  }
}

/** Bytes of a list of changes that is kept; a longer one is left out. */
const MAX_CHANGES = 4 * 1024 * 1024;

function foundBy({ commit, files, changed, ignores, attributes }: GitListing): Partial<StartedRun> {
  const changes = kept(changed);
  return {
    ...(commit === undefined ? {} : { git_commit: commit }),
    tree: treeDigest(files),
    ...(ignores === undefined ? {} : { ignores }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(changes === undefined ? {} : { changes }),
  };
}

/** Files that the run left otherwise than it found them. Undefined where git does not say. */
function wroteBetween(before: GitListing, after: GitListing | undefined, started: number): Changes | undefined {
  const files = after && filesAfter(before, after, started);
  return files && changesBetween(before.files, files);
}

/**
 * The start with the files of other repositories that the run changed. No list has one that is as its commit has it, and a reader would take it for
 * a new one (PROOF-47). Undefined where there are none.
 */
function withCommitted(before: GitListing, wrote: Changes): GitListing | undefined {
  const unlisted = [...wrote.keys()].filter((path) => !before.files.has(path));
  const committed = new Map(
    unlisted.flatMap((path) => {
      const file = before.committedIn(path);
      return file === undefined ? [] : [[path, file] as const];
    }),
  );
  if (committed.size === 0) return undefined;
  const changed = new Map([...before.changed, ...committed]);
  return { ...before, files: withChanges(before.files, committed), changed };
}

function leftBy(wrote: Changes | undefined): Partial<StartedRun> {
  if (wrote?.size === 0) return {};
  const list = wrote && kept(wrote);
  // Without the list no one can tell what the run saw of a file that changed meanwhile.
  return list === undefined ? { left: "unknown" } : { wrote: list };
}

/** With what the index cannot tell of, and with what rules hide that came meanwhile. Undefined where git does not say. */
function filesAfter(before: GitListing, after: GitListing, started: number): Files | undefined {
  try {
    const hidden = before.ignores === after.ignores ? NO_CHANGES : after.hidden();
    const touched = after.since(started);
    return hidden.size + touched.size === 0 ? after.files : withChanges(after.files, new Map([...touched, ...hidden]));
  } catch (e) {
    if (isTaskfoldError(e)) return undefined;
    throw e;
  }
}

const NO_CHANGES: Changes = new Map();

/** Undefined where there is nothing to keep, or too much. */
function kept(changes: Changes): string | undefined {
  const bytes = changesBytes(changes);
  return bytes === undefined || bytes.length > MAX_CHANGES ? undefined : bytes.toString("base64");
}

/** Files that name the packages that a run got, as their programs call them. */
const LOCKS = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "Cargo.lock",
  "go.sum",
  "poetry.lock",
  "uv.lock",
  "Pipfile.lock",
  "Gemfile.lock",
  "composer.lock",
];

const MAX_LOCK = 64 * 1024 * 1024;

function lockOf({ disks }: Pick<CaptureAccess, "disks">, root: string): StartedRun["lock"] {
  for (const path of LOCKS) {
    const bytes = readRegular(disks.anywhere, join(root, path), MAX_LOCK);
    if (bytes) return { path, sha256: createHash("sha256").update(bytes).digest("hex") };
  }
  return undefined;
}

function environmentOf(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** INVALID_INPUT for a folder outside of the root. No log names one, and a run there says nothing of the files of the workspace. */
function folderOf({ disks }: CaptureAccess, root: string, cwd: string): { cwd?: string } {
  const from = folderBelow(disks, root, resolve(cwd));
  if (from === undefined) throw outsideOf(root, cwd);
  return from === "." ? {} : { cwd: from };
}

function outsideOf(root: string, cwd: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected cwd to name a folder of the workspace, found ${JSON.stringify(cwd.slice(0, 200))} outside of it. The command was not started.`,
    {
      recovery: `Leave cwd out: the command then runs in ${JSON.stringify(root)}. Or name a folder below that.`,
    },
  );
}

/** The digests are of the bytes as they came. */
function outputOf(
  outputs: Record<"stdout" | "stderr", CapturedOutput>,
  redact: (text: string) => string,
): {
  summary: string;
  stdout?: string;
  stderr?: string;
} {
  const each = Object.entries(outputs);
  const texts = each.flatMap(([name, output]) => (output.size > 0 ? [[name, output.text(redact)]] : []));
  const whole = each.map(([name, output]) => `${name} ${output.size} bytes, sha256 ${output.digest()}`);
  return { summary: whole.join("; "), ...(Object.fromEntries(texts) as { stdout?: string; stderr?: string }) };
}

function groupOf({ runtime }: CaptureAccess): (request: StartRequest) => Promise<StartedResult> {
  return async ({ env, timeoutMs, argv, ...request }) => {
    const { exit_code, timed_out, aborted, not_started } = await runtime.groups.run({
      ...request,
      argv,
      environment: env,
      wallclock_ms: timeoutMs,
    });
    if (not_started !== null) throw notStarted(argv[0]!, not_started);
    return { exit_code, timed_out, aborted };
  };
}

function noCommand(): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", "Expected argv to name a program, found none.", {
    recovery: 'Give a program and its arguments, such as ["npm", "test"].',
  });
}

/** INVALID_INPUT for a program that the system does not start. */
export function notStarted(program: string, why: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a command that starts, found ${JSON.stringify(program.slice(0, 200))} (${why}).`,
    {
      recovery: "The command is started without a shell; for shell syntax: -- sh -c 'npm test | tee log'.",
    },
  );
}
