/** `taskfold onboard`: connects the clients of agents to this workspace, and `--remove` takes that back (ONBOARD rules). */
import { nodeDisks } from "../../disks.ts";
import { RepositoryFiles } from "../../files/repository_files.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import type { FileChange } from "../onboard/changes.ts";
import { Changes } from "../onboard/changes.ts";
import type { ClientName } from "../onboard/clients.ts";
import { CLIENT, CLIENTS } from "../onboard/clients.ts";
import { isInstalled, isOnPath, isStartable, OF_PACKAGE, startCommandOf } from "../onboard/start_command.ts";
import type { CliResult } from "./cli_result.ts";
import { sentences } from "./text/layout.ts";
import { reading } from "./read.ts";
import { safeText } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { unifiedDiff } from "./text/text_diff.ts";

export interface OnboardOptions {
  client?: ClientName[];
  /** The words that start Taskfold here. Without them, the packages and the PATH decide. */
  command?: string;
  dryRun?: boolean;
  remove?: boolean;
  yes?: boolean;
  stopHook?: boolean;
}

export async function onboard(session: Session, options: OnboardOptions): Promise<CliResult> {
  const { client, dryRun = false, remove = false, yes = false, stopHook = false } = options;
  const root = session.workspaceRoot();
  const workspace = await reading(session, (_call, reader) => session.workspaceId(reader));
  const files = new RepositoryFiles(nodeDisks(), root);
  try {
    const isFound = (name: ClientName): boolean => CLIENT[name].traces.some((path) => files.isThere(path));
    const clients = client ?? CLIENTS.filter((name) => remove || isFound(name));
    const command = options.command ?? startCommandOf(root);
    const changes = new Changes(files, { workspace, command });
    if (remove) changes.remove(clients);
    else changes.add(clients, stopHook);
    const { all, notes } = changes;
    if (!remove && all.length > 0) notes.push(...startNotes(root, command));
    const differences = all.map(({ path, before, after }) => unifiedDiff(path, before, after));
    const isWritten = all.length > 0 && !dryRun;
    if (isWritten && !yes) await agreed(session, differences.join(""));
    if (isWritten) {
      write(files, all);
      session.changed();
    }
    const fileRows = all.map((change, i) => ({ path: change.path, action: actionOf(change), diff: differences[i]! }));
    const named = remove && client === undefined ? [] : clients;
    const result = { workspace, command, clients: [...named], written: isWritten, files: fileRows, notes };
    const out = textOf(
      all,
      { notes, clients: named, dryRun, remove, diff: yes || dryRun ? differences.join("") : "" },
      session.columns,
    );
    return {
      exit: EXIT.ok,
      json: okReply("onboard", result as unknown as JsonObject, [], []),
      human: () => ({ out: session.quiet ? "" : safeText(out), err: "" }),
    };
  } finally {
    files.close();
  }
}

/** Says what is missing here before the entries start anything. */
function startNotes(root: string, command: string): string[] {
  const program = command.split(" ")[0]!;
  if (command !== OF_PACKAGE && !isStartable(root, program))
    return [
      /[\\/]/.test(program)
        ? `There is no ${program} yet: put it there before a client starts.`
        : `The PATH has no ${program} yet: put it there before a client starts.`,
    ];
  if (command === OF_PACKAGE && !isInstalled(root) && !isOnPath(root))
    return [
      "Neither the packages of this folder nor the PATH have taskfold yet: install the package here, or name with --command what starts it.",
    ];
  return [];
}

/** The question may have stood for a while: what was shown is what is changed. */
function write(files: RepositoryFiles, changes: readonly FileChange[]): void {
  const edited = changes.find(({ path, before }) => files.read(path) !== before);
  if (edited) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected ${edited.path} as it was shown, found another text; nothing changed.`,
      {
        recovery: "Repeat the command: it shows the difference anew.",
      },
    );
  }
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      put(files, change.path, change.after);
      done.push(change);
    } catch (e) {
      for (const { path, before } of done.toReversed()) put(files, path, before);
      throw failedAt(change.path, e);
    }
  }
}

function put(files: RepositoryFiles, path: string, text: string | undefined): void {
  if (text === undefined) files.remove(path);
  else files.write(path, text);
}

function failedAt(path: string, e: unknown): unknown {
  if (isTaskfoldError(e)) return e;
  const found = e instanceof Error ? ((e as NodeJS.ErrnoException).code ?? e.message) : String(e);
  return new TaskfoldError(
    "STORAGE_FAILED",
    `Expected to write ${path}, the system said ${found}. No file was changed.`,
    {
      recovery: "Give yourself the right to write it, or leave that client out with --client.",
      cause: e,
    },
  );
}

function actionOf({ before, after }: FileChange): "create" | "change" | "delete" {
  if (after === undefined) return "delete";
  return before === undefined ? "create" : "change";
}

interface ReportOptions {
  notes: readonly string[];
  clients: readonly ClientName[];
  dryRun: boolean;
  remove: boolean;
  diff: string;
}

function textOf(
  changes: readonly FileChange[],
  { notes, clients, dryRun, remove, diff }: ReportOptions,
  wide: number | undefined,
): string {
  const names = changes.map(({ path }) => path).join(", ");
  const done = dryRun ? "Would change" : "Changed";
  const first = changes.length === 0 ? "Nothing to change." : `${done} ${names}.`;
  const next = remove || dryRun ? [] : clients.map((name) => `${CLIENT[name].title}: ${CLIENT[name].next}.`);
  const none =
    remove || clients.length > 0 ? [] : [`No client was found here. Name one with --client: ${CLIENTS.join(", ")}.`];
  return diff + sentences([first, ...notes.map((note) => `Note: ${note}`), ...next, ...none, ""].join("\n"), wide);
}

async function agreed({ io, json }: Session, differences: string): Promise<void> {
  const answer = json ? undefined : await io.ask?.(`${safeText(differences)}Write this? [y/N] `);
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return;
  throw new TaskfoldError("INVALID_INPUT", "Expected a yes to the changes, found none; nothing changed.", {
    recovery: "Repeat it with --dry-run, which shows them, or with --yes.",
  });
}
