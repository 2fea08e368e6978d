/** The facts that the gate of a stage judges besides its output: the changes, whether git takes the diff, the results of the commands. */
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { isTaskfoldError } from "../errors.ts";
import { inspectFile, inspectText } from "../files/inspect.ts";
import type { StartedRun } from "../rules/evidence_item.ts";
import { diffIn } from "../rules/packet/diff.ts";
import { openFile } from "../rules/packet/open_files.ts";
import { outOfScope } from "../rules/packet/scope.ts";
import { LIMITS } from "../state/limits.ts";
import type { Packet } from "../state/packet.ts";
import { partsOfStage, runningAttempt } from "../state/packet.ts";
import type { AcceptanceCommand } from "../state/packet_next.ts";
import { shownName } from "../name_bytes.ts";
import { runAcceptance } from "./acceptance.ts";
import type { AcceptanceRun } from "./acceptance.ts";
import { beginCapture } from "./run_captured.ts";
import { redactionOf } from "./redaction.ts";
import { diffApplies } from "./work_tree.ts";
import type { DiffFit } from "./work_tree.ts";

/** More paths than a person reads; those outside of the scope come first. */
const MAX_PATHS = 5000;
/** Most bytes of each stream of a command that evidence takes. */
const STREAM_BYTES = 100_000;

/** As many as the gate is told, and as people read their names. */
export function shownPaths(paths: string[], packet: Packet): string[] {
  return firstOf(paths, packet.manifest).map(shownName);
}

function firstOf(paths: string[], { scope }: Packet["manifest"]): string[] {
  if (paths.length <= MAX_PATHS) return paths;
  const [outside, inside] = [true, false].map((is) =>
    paths.filter((path) => (outOfScope(path, scope) !== null) === is),
  );
  return [...outside!, ...inside!].slice(0, MAX_PATHS);
}

/** Undefined for a stage that proposes no diff. */
export function diffFit(
  { disk, folder, git, packet }: PacketAccess,
  stage: string,
  run: string | undefined,
): DiffFit | undefined {
  const { role } = partsOfStage(stage);
  const attempt = runningAttempt(packet(), stage, run);
  if (!attempt || (role !== "impl" && role !== "test_impl")) return undefined;
  const own = openFile(packet(), attempt, "out", { look: (path) => inspectFile(disk, folder, path) });
  const out = own && inspectText(disk, folder, own.from, LIMITS.judgedBytes);
  const diff = out === undefined ? null : diffIn(role, out);
  if (diff === null) return undefined;
  try {
    return diffApplies(git, diff);
  } catch (e) {
    // A change that is too large for git is judged by its paths.
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
}

export interface CommandResult {
  command: string;
  exit_code: number;
  timed_out: boolean;
  duration_sec: number;
  stdout: string;
  stderr: string;
  captured?: StartedRun;
}

export interface CommandOptions {
  commands: readonly AcceptanceCommand[];
  /** Told of each before it runs. */
  onCommand?: (command: AcceptanceCommand) => void;
  environment: Readonly<Record<string, string>>;
  onGroup?: (group: number) => void;
}

/** Each command by itself in the root of the workspace. */
export async function commandResults(
  { layout, runtime, git, disks, now }: PacketAccess,
  packet: Packet,
  { commands, environment, onGroup, onCommand }: CommandOptions,
  signal?: AbortSignal,
): Promise<CommandResult[]> {
  const redact = redactionOf(packet);
  const runs = await runAcceptance(
    {
      allowed: true,
      commands: commands.map(({ command }) => command),
      ...(onCommand ? { onCommand: (n: number) => onCommand(commands[n]!) } : {}),
      cwd: layout.root,
      environment,
      wallclock_sec: packet.manifest.budgets.max_wallclock_sec,
      redact,
      groups: runtime.groups,
      capture: async (argv) => {
        const { end } = await beginCapture({ disks, now }, { argv, env: environment, root: layout.root, git });
        return async () => end(new Date(now()).toISOString());
      },
      ...(onGroup ? { onGroup } : {}),
    },
    signal,
  );
  return runs.map((run) => resultOf(run, redact));
}

function resultOf(
  { command, exit_code, timed_out, duration_sec, stdout, stderr, captured }: AcceptanceRun,
  redact: (text: string) => string,
): CommandResult {
  const text = (bytes: Buffer): string => withoutMiddle(redact(new TextDecoder().decode(bytes)));
  const fields = { command, exit_code, timed_out, duration_sec, stdout: text(stdout), stderr: text(stderr) };
  return { ...fields, ...(captured ? { captured } : {}) };
}

function withoutMiddle(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= STREAM_BYTES) return text;
  const side = STREAM_BYTES / 2;
  const [head, tail] = [bytes.toString("utf8", 0, side), bytes.toString("utf8", bytes.length - side)];
  return `${head}\n[... ${bytes.length - 2 * side} bytes left out ...]\n${tail}`;
}
