/** The questions of `init` to a person on a terminal, and the completion that it may set up (CLI-10). */
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { nodeDisks } from "../../disks.ts";
import type { IdStyle } from "../../engine/core/id_style.ts";
import { checkWorkspaceId } from "../../engine/entity/binding.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { writeAtomic } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import { RepositoryFiles } from "../../files/repository_files.ts";
import { parseProofModes } from "../../state/proof_modes.ts";
import type { ProofModes } from "../../state/proof_modes.ts";
import { openRepository } from "../git/repository.ts";
import { CLIENT, CLIENTS } from "../onboard/clients.ts";
import type { ClientName } from "../onboard/clients.ts";
import { isOnPath } from "../onboard/start_command.ts";
import { sentences } from "./text/layout.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { deriveWorkspaceId } from "./workspace_id.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export interface InitAnswers {
  workspace: string;
  ids: IdStyle;
  proof?: ProofModes;
  clients: readonly ClientName[];
  /** The shell whose completion is set up. */
  completion?: Shell;
  driver: boolean;
}

type Given = { workspace?: string; ids?: IdStyle; proof?: ProofModes };

/** `given`: what options said already. INVALID_INPUT where the person breaks off; nothing was made then. */
export async function askedForInit(session: Session, root: string, given: Given): Promise<InitAnswers> {
  const ask = asker(session);
  const workspace = given.workspace ?? (await ask("Workspace id", deriveWorkspaceId(root).id, workspaceIn));
  const ids =
    given.ids ?? (await ask("Ids: number (TASK-001), or suffix (TASK-001-k3f9) for many branches", "number", idsIn));
  const proof =
    given.proof ??
    (await ask("Proof that steps need: none, warn, require or another mode of help proof", "none", proofIn));
  const found = foundClients(root);
  const clients = await ask(`Clients of agents: ${CLIENTS.join(", ")}, or none`, found.join(", ") || "none", clientsIn);
  const shell = shellOf(session);
  const completion =
    shell !== undefined &&
    isOnPath(root) &&
    (await ask(`Completion of ${shell}, by a line in ${startFile(shell)}`, "no", yesIn));
  const repository = openRepository(root) !== undefined;
  const driver =
    repository && (await ask("Merge driver of this clone, so that git stops at no folded file", "no", yesIn));
  return {
    workspace,
    ids,
    ...(proof === "none" ? {} : { proof }),
    clients,
    ...(completion && shell !== undefined ? { completion: shell } : {}),
    driver,
  };
}

/** Asks until the answer fits; no answer is the default. */
function asker({
  io,
  columns,
}: Session): <T>(question: string, otherwise: string, read: (text: string) => T) => Promise<T> {
  return async (question, otherwise, read) => {
    for (let more = ""; ;) {
      const answer = await io.ask!(`${more}${sentences(`${question} [${otherwise}]:`, columns)} `);
      if (answer === undefined)
        throw new TaskfoldError(
          "INVALID_INPUT",
          "Expected an answer, found none; nothing was made.",
          remedy`${TASKFOLD} init --yes asks nothing, and takes the defaults and the options.`,
        );
      try {
        return read(answer.trim() || otherwise);
      } catch (e) {
        if (!isTaskfoldError(e)) throw e;
        more = `${sentences(safeLine(e.message), columns)}\n`;
      }
    }
  };
}

function unexpected(what: string, found: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected ${what}, found ${JSON.stringify(found.slice(0, 80))}.`);
}

function workspaceIn(text: string): string {
  checkWorkspaceId(text);
  return text;
}

function idsIn(text: string): IdStyle {
  const word = text.toLowerCase();
  if ("numbers".startsWith(word) || word === "sequential") return "sequential";
  if ("suffixed".startsWith(word)) return "suffixed";
  throw unexpected("number or suffix", text);
}

function proofIn(text: string): ProofModes | "none" {
  const modes = text === "none" ? "none" : parseProofModes(text);
  if (modes) return modes;
  throw unexpected("none, warn, require, or tests=warn,docs=require", text);
}

function clientsIn(text: string): ClientName[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "" && word !== "none");
  const other = words.find((word) => !CLIENTS.some((name) => name === word));
  if (other !== undefined) throw unexpected(`none, or some of ${CLIENTS.join(", ")}`, other);
  return CLIENTS.filter((name) => words.includes(name));
}

function yesIn(text: string): boolean {
  const word = text.toLowerCase();
  if (["y", "yes"].includes(word)) return true;
  if (["n", "no"].includes(word)) return false;
  throw unexpected("yes or no", text);
}

function foundClients(root: string): ClientName[] {
  if (!nodeDisk.stat(root)) return [];
  const files = new RepositoryFiles(nodeDisks(), root);
  try {
    return CLIENTS.filter((name) => CLIENT[name].traces.some((path) => files.isThere(path)));
  } finally {
    files.close();
  }
}

function shellOf({ io }: Session): Shell | undefined {
  const name = basename(io.env["SHELL"] ?? "");
  return SHELLS.find((one) => one === name);
}

/** From the home folder. */
const START_FILES: Record<Shell, string> = {
  bash: ".bashrc",
  zsh: ".zshrc",
  fish: ".config/fish/completions/taskfold.fish",
};
const LINES: Record<Shell, string> = {
  bash: "source <(taskfold completion bash)",
  zsh: "source <(taskfold completion zsh)",
  fish: "taskfold completion fish | source",
};
const MAX_BYTES = 4 * 1024 * 1024;

function startFile(shell: Shell): string {
  return `~/${START_FILES[shell]}`;
}

/** Adds the line that sets it up, unless it is there. Returns what was done, in a sentence. */
export function setUpCompletion(shell: Shell, home = homedir()): string {
  const path = join(home, START_FILES[shell]);
  // The file may be a link into a folder of a person's settings: it stays one, and what it leads to is changed.
  const file = nodeDisk.stat(path) ? nodeDisk.outside.realpath(path) : path;
  const text = nodeDisk.stat(file) ? nodeDisk.outside.readFile(file, MAX_BYTES).toString("utf8") : "";
  const line = LINES[shell];
  if (text.split("\n").includes(line)) return `Completion of ${shell} was set up already in ${startFile(shell)}.`;
  ensureFolder(nodeDisk, join(file, ".."));
  writeAtomic(nodeDisk, file, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
  return `Completion of ${shell}: a line in ${startFile(shell)}. A new shell has it.`;
}
