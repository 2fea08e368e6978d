/** Calls that an answer offers, as the everyday commands that make them (CLI-121). */
import { shellQuote } from "../../state/shell_quote.ts";
import type { JsonObject } from "../../index.ts";

type Make = (args: Args) => string[] | undefined;

/** The arguments of a call, each of which a command has to take up: what is left over has no option. */
class Args {
  readonly #left: Map<string, unknown>;

  constructor(args: JsonObject) {
    this.#left = new Map(Object.entries(args));
  }

  take(...names: string[]): string | undefined {
    const name = names.find((one) => typeof this.#left.get(one) === "string");
    const value = name === undefined ? undefined : (this.#left.get(name) as string);
    if (name !== undefined) this.#left.delete(name);
    return value;
  }

  /** Whether it is there with this value. */
  has(name: string, value: unknown): boolean {
    return this.#left.get(name) === value && this.#left.delete(name);
  }

  id(): string | undefined {
    return this.take("task", "plan", "target");
  }

  /** Both are given only where they agree. */
  step(): string | undefined {
    const id = this.take("step_id");
    return this.take("path") ?? id;
  }

  /** `gate`, `all`, or names with commas between them. */
  checkpoints(): string | undefined {
    const given = this.#left.get("checkpoints");
    if (typeof given === "string") return this.take("checkpoints");
    const entries = Object.entries((given ?? {}) as JsonObject);
    const isPlain = entries.length > 0 && entries.every(([, value]) => value === true);
    if (isPlain) this.#left.delete("checkpoints");
    return isPlain ? entries.map(([name]) => name).join(",") : undefined;
  }

  option(name: string): string[] {
    const value = this.take(name);
    return value === undefined ? [] : [`--${name}`, value];
  }

  get isUsedUp(): boolean {
    return this.#left.size === 0;
  }
}

const onStep =
  (command: string, more: Make = () => []): Make =>
  (args) => {
    const [id, step, rest] = [args.id(), args.step(), more(args)];
    return id === undefined || step === undefined || rest === undefined ? undefined : [command, id, step, ...rest];
  };

const onWhole =
  (command: string, more: Make = () => []): Make =>
  (args) => {
    const [id, rest] = [args.id(), more(args)];
    return id === undefined || rest === undefined ? undefined : [command, id, ...rest];
  };

/** A step, or without one the whole. */
const onPlace =
  (command: string, more: Make = () => []): Make =>
  (args) => {
    const [id, step, rest] = [args.id(), args.step(), more(args)];
    return id === undefined || rest === undefined
      ? undefined
      : [command, id, ...(step === undefined ? [] : [step]), ...rest];
  };

const confirm: Make = (args) => {
  const names = args.checkpoints();
  return names === undefined ? undefined : ["--confirm", names];
};

const COMMANDS: Record<string, Make> = {
  tasks_context: () => ["list"],
  tasks_radar: onWhole("show"),
  tasks_close_step: onStep("done", confirm),
  tasks_done: onStep("done"),
  tasks_complete: (args) =>
    args.has("status", "ACTIVE") || args.has("status", "TODO")
      ? onWhole("reopen", () => args.option("reason"))(args)
      : onWhole("complete", () => [...args.option("status"), ...args.option("reason")])(args),
  tasks_claim: onPlace("claim"),
  tasks_claim_next: (args) => {
    const id = args.id();
    return id === undefined ? ["claim"] : ["claim", id, "--next"];
  },
  tasks_archive: (args) => {
    const plan = args.take("plan");
    return plan === undefined ? undefined : ["archive", "--plan", plan];
  },
  tasks_create: (args) => {
    const [isPlan, isTask, title] = [args.has("kind", "plan"), args.has("kind", "task"), args.take("title")];
    if (title === undefined || !(isPlan || isTask)) return undefined;
    return [...(isPlan ? ["plan", "add"] : ["add"]), title];
  },
  tasks_history: (args) => {
    const id = args.id();
    return id === undefined ? ["history"] : ["history", id];
  },
  tasks_release: onPlace("release", (args) => [
    ...(args.has("force", true) ? ["--force"] : []),
    ...args.option("reason"),
  ]),
  tasks_restore: onWhole("restore"),
  tasks_resume: onWhole("show"),
  tasks_block: onStep("unblock", (args) => (args.has("blocked", false) ? [] : undefined)),
  tasks_progress: (args) => {
    if (args.has("completed", false)) return onStep("reopen", () => args.option("reason"))(args);
    return args.has("force", true) ? onStep("done", () => ["--force", ...args.option("reason")])(args) : undefined;
  },
};

/** Where a person asked to close a step, what has to be confirmed first is confirmed by the same command. */
const CLOSING: Record<string, Make> = { ...COMMANDS, tasks_verify: onStep("done", confirm) };
const CLOSERS = new Set(["tasks_done", "tasks_close_step"]);

/** A person who named nothing is shown the same command with an id: to set a focus is for callers of tools. */
function namedBy(intent: string): Make | undefined {
  const name = commandOf(intent);
  return name === undefined ? undefined : onWhole(name);
}

/** Undefined for a call that no command makes. `intent`: the call that was refused. */
export function everydayCommand(tool: string, given: JsonObject, intent: string): string | undefined {
  const makers = CLOSERS.has(intent) ? CLOSING : COMMANDS;
  const make = tool === "tasks_focus_set" ? namedBy(intent) : Object.hasOwn(makers, tool) ? makers[tool] : undefined;
  const args = new Args(given);
  const words = make?.(args);
  return words && args.isUsedUp
    ? words.map((word) => (/^[A-Za-z0-9_.:,-]+$/.test(word) ? word : shellQuote(word))).join(" ")
    : undefined;
}

/** Tools that a recovery names, and the commands that people have for them. */
const NAMED: Record<string, string> = {
  tasks_context: "taskfold list",
  tasks_create: "taskfold add",
  tasks_archive: "taskfold archive",
  tasks_block: "taskfold block",
  tasks_claim: "taskfold claim",
  tasks_complete: "taskfold complete",
  tasks_delta: "taskfold delta",
  tasks_edit: "taskfold edit",
  tasks_handoff: "taskfold handoff",
  tasks_history: "taskfold history",
  tasks_note: "taskfold note",
  tasks_patch: "taskfold edit",
  tasks_progress: "taskfold done",
  tasks_radar: "taskfold show",
  tasks_redo: "taskfold redo",
  tasks_release: "taskfold release",
  tasks_restore: "taskfold restore",
  tasks_resume: "taskfold show",
  tasks_undo: "taskfold undo",
};

/** A command takes no JSON: its help has its arguments. */
function helpOn(intent: string): string {
  const name = commandOf(intent);
  return name === undefined ? `taskfold tools ${intent}` : `taskfold help ${name}`;
}

/** The command that made a call; undefined where none did. */
function commandOf(intent: string): string | undefined {
  return Object.hasOwn(NAMED, intent) ? NAMED[intent]!.split(" ")[1] : /^[a-z]+$/.test(intent) ? intent : undefined;
}

/** A recovery in the words of the command line: tools that have a command go by its name. */
export function withCommands(recovery: string, intent: string): string {
  return recovery
    .replace(/^An input that validates(?: beside [^:]*)?: .*$/s, `${helpOn(intent)} tells more.`)
    .replace("GET /api/v1/board/0.json", "taskfold list")
    .replace(/\btasks_[a-z_]+\b(?! ?[{'])/g, (tool) => NAMED[tool] ?? `taskfold call ${tool}`)
    .replace(
      /close (\S+ s:\S+) by taskfold done with force and a reason/,
      "close it by taskfold done $1 --force --reason WHY",
    )
    .replace(/(taskfold [a-z]+)(?:,| with) force and a reason/, "$1 --force --reason WHY");
}
