/**
 * `.coco/workspace.yaml`: which workspace id this root is bound to and how ids are made. An unbound root answers reads
 * as empty and is bound by its first write (TOOL rules).
 */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { FileStat } from "../../disk.ts";
import { writeAtomic, readIfThere } from "../../files/atomic.ts";
import { writeCommitted } from "../../files/committed.ts";
import { signOf } from "../../files/file_sign.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { StepDefaults } from "../../rules/default_proof.ts";
import { parseConfirm } from "../../state/four_eyes.ts";
import type { Confirm } from "../../state/four_eyes.ts";
import { MODES_LISTED, parseProofModes, printProofModes } from "../../state/proof_modes.ts";
import type { ProofModes } from "../../state/proof_modes.ts";
import type { EngineContext } from "../core/context.ts";
import { ID_STYLES } from "../core/id_style.ts";
import type { IdStyle } from "../core/id_style.ts";
import { bindingLeftOut } from "../core/sparse_checkout.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface Binding {
  workspace: string;
  ids: IdStyle;
  /** Proof modes of steps that name none, and those below which no step goes. */
  proof?: ProofModes;
  proof_minimum?: ProofModes;
  /** Checkpoints of new steps that other eyes confirm. */
  confirm?: Confirm;
}

export function defaultsIn({ proof = {}, proof_minimum: minimum, confirm }: Partial<Binding> = {}): StepDefaults {
  return { modes: proof, minimum, confirm };
}

const WORKSPACE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;

/** The engine writes four short lines; people may write comments. */
const MAX_BYTES = 64 * 1024;

interface BindingRead {
  binding: Binding;
  /** That of its file just before it was read. */
  sign: string;
}

/** Reads the binding; undefined when the root has none. @internal */
export function readBinding(context: Pick<EngineContext, "disk" | "layout">): Binding | undefined {
  return readSigned(context)?.binding;
}

/** The file is small and of a fixed shape: no YAML parser. */
function readSigned(context: Pick<EngineContext, "disk" | "layout">): BindingRead | undefined {
  let stat: FileStat | undefined;
  let kind: FileStat["kind"] | undefined;
  let text: string | undefined;
  try {
    stat = context.disk.lstat(context.layout.workspaceFile);
    kind = stat?.kind;
    if (kind === "file" && stat!.size > MAX_BYTES) throw unreadable();
    // A pipe would be waited for, and a link that a repository committed may lead to what never ends.
    if (kind !== "link" && kind !== "special file")
      text = readIfThere(context.disk, context.layout.workspaceFile)?.toString("utf8");
  } catch (e) {
    if (errnoOf(e) === "ENOTDIR") return undefined;
    throw storageError(e, "read .coco/workspace.yaml");
  }
  if (kind === "link" || kind === "special file") {
    throw new TaskfoldError("LOG_UNREADABLE", `Expected .coco/workspace.yaml to be a plain file, found a ${kind}.`, {
      recovery: "Restore the file from git.",
    });
  }
  return text === undefined ? undefined : { binding: bindingIn(text), sign: signOf(stat) };
}

/** The sign of a file that was written here, and not read since. The next look reads what stands there by then. */
const UNREAD = "";

/** Returns the binding in a workspace.yaml, which may be that of a commit. Throws LOG_UNREADABLE where it holds none. */
export function bindingIn(text: string): Binding {
  const workspace = scalar(text, "id");
  const ids = scalar(text, "ids") ?? "sequential";
  if (workspace === undefined || !WORKSPACE.test(workspace) || !isIdStyle(ids)) {
    throw unreadable();
  }
  return {
    workspace,
    ids,
    ...asked(text, "proof", parseProofModes),
    ...asked(text, "proof_minimum", parseProofModes),
    ...asked(text, "confirm", parseConfirm),
  };
}

/** A mode that this release does not know asks for more than it could hold a step to: LOG_UNREADABLE. */
function asked<K extends string, V>(text: string, key: K, parse: (given: string) => V | undefined): { [Key in K]?: V } {
  const word = scalar(text, key);
  if (word === undefined) return {};
  const value = parse(word);
  if (value !== undefined) return { [key]: value } as { [Key in K]?: V };
  const such = key === "confirm" ? "criteria=other" : "tests=require,docs=warn";
  throw new TaskfoldError(
    "LOG_UNREADABLE",
    `Expected ${key} in .coco/workspace.yaml such as "${such}", found ${JSON.stringify(word.slice(0, 80))}.`,
    { recovery: "Correct that line or take it away; a later release may know the mode." },
  );
}

function unreadable(): TaskfoldError {
  return new TaskfoldError(
    "LOG_UNREADABLE",
    'Expected .coco/workspace.yaml to hold the lines `id: "acme/repo"` and `ids: sequential` (or suffixed), found something else.',
    { recovery: "Restore the file from git." },
  );
}

/** A root that is bound already keeps its binding. */
function bind(context: EngineContext, wanted: Binding): BindingRead {
  const known = readSigned(context);
  if (!known) {
    checkWorkspaceId(wanted.workspace);
    try {
      ensureDurableFolder(context.disk, context.layout.tasks);
      // The process that made .coco, for a lock perhaps, may have died before the name was on disk.
      context.disk.syncFolder(context.layout.root);
      writeCommitted(context.disk, context.layout);
      const text = `# Written by taskfold. One root, one workspace id.\nversion: 1\nid: ${JSON.stringify(wanted.workspace)}\nids: ${wanted.ids}\n`;
      writeAtomic(context.disk, context.layout.workspaceFile, text, { sync: true });
    } catch (e) {
      throw storageError(e, "write .coco/workspace.yaml");
    }
    return { binding: wanted, sign: UNREAD };
  }
  return known;
}

/** @internal */
export function checkWorkspaceId(id: string): void {
  if (typeof id === "string" && WORKSPACE.test(id)) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a workspace id such as acme/repo (letters, digits, ._/- , 1 to 128 characters), found ${shown(id)}.`,
    remedy`${TASKFOLD} init --workspace acme/repo names one.`,
  );
}

/** INVALID_INPUT for modes that no step can have. @internal */
export function checkProofModes(modes: unknown): asserts modes is ProofModes {
  const entries = typeof modes === "object" && modes !== null ? Object.entries(modes as object) : [];
  if (entries.length > 0 && parseProofModes(entries.map(([name, mode]) => `${name}=${String(mode)}`).join(","))) return;
  throw new TaskfoldError("INVALID_INPUT", 'Expected proof modes such as { tests: "require" }, found something else.', {
    recovery: `Checkpoints are tests, security, perf and docs; a mode is ${MODES_LISTED}.`,
  });
}

/** Callers without types may give anything. */
function shown(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id.slice(0, 150)) : id === null ? "null" : typeof id;
}

function isIdStyle(text: string): text is IdStyle {
  return (ID_STYLES as readonly string[]).includes(text);
}

function scalar(text: string, key: string): string | undefined {
  const match = new RegExp(
    `^${key}:[ \\t]*(?:"([^"\\\\]*)"|'([^']*)'|([^\\s"'#][^\\s#]*))[ \\t]*(?:#.*)?\\r?$`,
    "m",
  ).exec(text);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** The binding of one root as an open workspace knows it. @internal */
export class RootBinding {
  readonly #context: EngineContext;
  readonly #ids: IdStyle;
  /** The only workspace that calls may name, where the opening said so. */
  readonly configured: string | undefined;
  #binding: Binding | undefined;
  /** That of its file, as it was read. */
  #sign = UNREAD;

  /** `ids`: the style that the root gets when its first write binds it. */
  constructor(context: EngineContext, ids: IdStyle, configured?: string) {
    this.#context = context;
    this.#ids = ids;
    this.configured = configured;
  }

  get binding(): Binding | undefined {
    const read = this.#binding ? undefined : readSigned(this.#context);
    return read ? this.#keep(read) : this.#binding;
  }

  /** Whether the input of a call names the workspace that this root had at the last look. */
  names(input: unknown): boolean {
    return (
      this.#binding !== undefined && (input as { workspace?: unknown } | null)?.workspace === this.#binding.workspace
    );
  }

  /** Reads the binding again where its file changed: another process may have renamed the workspace. Call once for each call, or for all that a queue takes. */
  look(): void {
    const { disk, layout } = this.#context;
    const stat = this.#binding && disk.lstat(layout.workspaceFile);
    if (!stat || signOf(stat) === this.#sign) return;
    try {
      const read = readSigned(this.#context);
      if (read) this.#keep(read);
    } catch (e) {
      // While git has a conflict in the file, it stays what it was.
      if (!isTaskfoldError(e)) throw e;
    }
  }

  get ids(): IdStyle {
    return this.binding?.ids ?? this.#ids;
  }

  /**
   * The one workspace that calls may name, as of the last look; undefined while nothing decides it. WORKSPACE_MISMATCH where root and opening
   * disagree.
   */
  get accepted(): string | undefined {
    const bound = this.binding?.workspace;
    const { configured } = this;
    if (bound === undefined || configured === undefined || bound === configured) return bound ?? configured;
    throw otherRoot(bound, configured);
  }

  /** STORAGE_FAILED where the file that binds this root was taken away: who writes now makes another folder in its place. */
  refuseGone(): void {
    const { disk, layout } = this.#context;
    if (this.#binding && !disk.lstat(layout.workspaceFile)) throw gone();
  }

  /** NO_WORKSPACE where git has the file that binds this root, and a sparse checkout leaves it out. Call before a lock makes a folder. */
  refuseLeftOut(): void {
    if (this.binding) return;
    const left = this.#context.sparse.look();
    if (left.binding !== "no") throw bindingLeftOut(left);
  }

  /**
   * Binds this root to another id: logs carry none, so none changes. Comments in the file stay. NO_WORKSPACE where nothing is bound. Call
   * while holding the workspace lock.
   */
  rename(to: string): Binding {
    checkWorkspaceId(to);
    checkAccepted(this.configured, to);
    const { disk, layout } = this.#context;
    const known = readBinding(this.#context);
    if (!known) throw notBound();
    try {
      const text = disk.readFile(layout.workspaceFile, MAX_BYTES).toString("utf8");
      const renamed = text.replace(/^id:[^\r\n]*/m, `id: ${JSON.stringify(to)}`);
      writeAtomic(disk, layout.workspaceFile, renamed, { sync: true });
    } catch (e) {
      throw storageError(e, "write .coco/workspace.yaml");
    }
    return this.#keep({ binding: { ...known, workspace: to }, sign: UNREAD });
  }

  /**
   * Writes the proof modes of steps that name none; steps that are there keep theirs. Comments in the file stay. NO_WORKSPACE where nothing
   * is bound. Call while holding the workspace lock.
   */
  setProof(proof: ProofModes): Binding {
    const { disk, layout } = this.#context;
    const known = readBinding(this.#context);
    if (!known) throw notBound();
    try {
      const text = disk.readFile(layout.workspaceFile, MAX_BYTES).toString("utf8");
      const line = `proof: ${JSON.stringify(printProofModes(proof))}`;
      const written = /^proof:/m.test(text)
        ? text.replace(/^proof:[^\r\n]*/m, line)
        : `${text.replace(/\n?$/, "\n")}${line}\n`;
      if (written !== text) writeAtomic(disk, layout.workspaceFile, written, { sync: true });
    } catch (e) {
      throw storageError(e, "write .coco/workspace.yaml");
    }
    return this.#keep({ binding: { ...known, proof }, sign: UNREAD });
  }

  /** The binding of this root, made now if there is none. Call while holding the workspace lock. */
  bind(workspace: string, ids: IdStyle = this.#ids): Binding {
    checkAccepted(this.accepted, workspace);
    this.refuseLeftOut();
    const binding = this.#keep(bind(this.#context, { workspace, ids }));
    checkAccepted(this.accepted, workspace);
    return binding;
  }

  #keep({ binding, sign }: BindingRead): Binding {
    this.#sign = sign;
    return (this.#binding = binding);
  }
}

function gone(): TaskfoldError {
  return new TaskfoldError(
    "STORAGE_FAILED",
    "Expected .coco/workspace.yaml where it was, found that it is not there any more. Nothing was written.",
    { recovery: "Put .coco back, then call again. To begin anew from the shared log, open the workspace again." },
  );
}

export function notBound(): TaskfoldError {
  return new TaskfoldError(
    "NO_WORKSPACE",
    "Expected a root that is bound to a workspace id, found none.",
    remedy`${TASKFOLD} init --workspace acme/repo binds it.`,
  );
}

function otherRoot(bound: string, configured: string): TaskfoldError {
  return new TaskfoldError(
    "WORKSPACE_MISMATCH",
    `Expected a root of the configured workspace ${JSON.stringify(configured)}, found one that is bound to ${JSON.stringify(bound)}.`,
    {
      recovery: `Configure workspace ${JSON.stringify(bound)}, or open the root of ${JSON.stringify(configured)}.`,
      details: { known: [bound] },
    },
  );
}

/** WORKSPACE_MISMATCH where a call names another workspace than the accepted one. @internal */
export function checkAccepted(accepted: string | undefined, workspace: string): void {
  if (accepted === undefined || accepted === workspace) return;
  throw new TaskfoldError(
    "WORKSPACE_MISMATCH",
    `Expected workspace ${JSON.stringify(accepted)}, the only one of this root; found ${JSON.stringify(workspace)}.`,
    {
      recovery: `Call with workspace ${JSON.stringify(accepted)}, or from the root of the other workspace.`,
      details: { known: [accepted] },
    },
  );
}
