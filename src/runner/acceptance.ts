/** Runs the acceptance commands of a packet, one after another, under the limits of a stage. */
import type { StartedRun } from "../rules/evidence_item.ts";
import type { AcceptanceResult } from "../state/packet.ts";
import type { ProcessGroups } from "../runtime.ts";
import { wholeSeconds } from "../runtime.ts";
import { shellArgv } from "./argv.ts";
import { KeptEnds } from "./kept_ends.ts";

export interface AcceptanceRequest {
  /** A caller allows it by name: commands may come from a model. Nothing runs otherwise. */
  allowed: boolean;
  commands: readonly string[];
  /** The root of the workspace. */
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** For each command. */
  wallclock_sec: number;
  /** Takes secrets out of an excerpt before it is cut: half a secret would not be recognised. */
  redact?: (text: string) => string;
  groups: ProcessGroups;
  /** Told the arguments of each command before it starts. Returns a function that is called at the end and returns the record of the run. */
  capture?: (argv: readonly string[]) => Promise<() => Promise<StartedRun>>;
  /** Told the place of each command in the list before it begins. */
  onCommand?: (n: number) => void;
  /** Told the process group of each command before it begins. */
  onGroup?: (group: number) => void;
}

export interface AcceptanceRun extends Omit<AcceptanceResult, "captured"> {
  /** At most 1 MiB each, beginning and end. */
  stdout: Buffer;
  stderr: Buffer;
  captured?: StartedRun;
}

export const KEPT_BYTES = 1024 * 1024;
const EXCERPT_POINTS = 4000;
const GAP = "\n[... left out ...]\n";

/** Results of the commands that ran; an abort ends the one that runs and leaves out the rest. */
export async function runAcceptance(request: AcceptanceRequest, signal?: AbortSignal): Promise<AcceptanceRun[]> {
  const results: AcceptanceRun[] = [];
  if (!request.allowed) return results;
  for (const [n, command] of request.commands.entries()) {
    if (signal?.aborted) break;
    request.onCommand?.(n);
    results.push(await runCommand(command, request, signal));
  }
  return results;
}

async function runCommand(
  command: string,
  { cwd, environment, wallclock_sec, redact = (text) => text, groups, onGroup, capture }: AcceptanceRequest,
  signal?: AbortSignal,
): Promise<AcceptanceRun> {
  const [stdout, stderr] = [new KeptEnds(KEPT_BYTES), new KeptEnds(KEPT_BYTES)];
  const argv = shellArgv(command);
  const end = await capture?.(argv);
  const ended = await groups.run({
    argv,
    cwd,
    environment,
    wallclock_ms: wallclock_sec * 1000,
    onStdout: (chunk) => stdout.add(chunk),
    onStderr: (chunk) => stderr.add(chunk),
    onGroup,
    signal,
  });
  if (ended.not_started !== null)
    stderr.add(Buffer.from(`taskfold: The command did not start: ${ended.not_started}.\n`));
  const captured = await end?.();
  const kept = { stdout: stdout.bytes(), stderr: stderr.bytes() };
  return {
    command,
    exit_code: ended.exit_code,
    timed_out: ended.timed_out,
    duration_sec: wholeSeconds(ended),
    excerpt: excerptOf(redact(textOf(kept.stdout)), redact(textOf(kept.stderr))),
    ...kept,
    ...(captured ? { captured } : {}),
  };
}

function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}

/** The text of stderr comes last: there a command says why it failed. */
function excerptOf(stdout: string, stderr: string): string {
  const text = stdout === "" || stdout.endsWith("\n") ? stdout + stderr : `${stdout}\n${stderr}`;
  // A code point has at most two units; cutting by units first saves an array of millions.
  if (text.length <= EXCERPT_POINTS || Array.from(text.slice(0, 2 * EXCERPT_POINTS + 1)).length <= EXCERPT_POINTS)
    return text;
  const side = Math.floor((EXCERPT_POINTS - GAP.length) / 2);
  const head = Array.from(text.slice(0, 2 * side))
    .slice(0, side)
    .join("");
  const tail = Array.from(text.slice(-2 * side))
    .slice(-side)
    .join("");
  return (head + GAP + tail).toWellFormed();
}
