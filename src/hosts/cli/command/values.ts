/** Values of options, and arguments and options that several commands have. */
import { TaskfoldError } from "../../../errors.ts";
import { CHECKPOINTS } from "../../../state/entity.ts";
import type { Checkpoint } from "../../../state/entity.ts";
import { parseConfirm } from "../../../state/four_eyes.ts";
import { MODES_LISTED, parseProofModes } from "../../../state/proof_modes.ts";
import type { ProofModes } from "../../../state/proof_modes.ts";
import { argument, option } from "./define.ts";

/** Such as "a whole number from 1". */
export function expected(what: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected ${what}.`);
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function count(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw expected("a whole number from 1");
}

/** An address of the web below which others stand, without a slash at its end, and without what ends a link in Markdown. */
export function addressBelow(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !/[?#]/.test(url.href) && url.username + url.password === "")
    return url.href.replace(/\/+$/, "").replaceAll("(", "%28").replaceAll(")", "%29");
  throw expected("an address such as https://github.com/acme/repo/blob/main");
}

/** Words for true, false and null: commander gives no option null. */
export function yesNoOrPlan(text: string): string {
  const word = text.toLowerCase();
  if (["yes", "no", "plan"].includes(word)) return word;
  throw expected("yes, no or plan");
}

/** One of these statuses, in any case and in both spellings of CANCELED. */
export function status(statuses: readonly string[]): (text: string) => string {
  return (text) => {
    const word = text.toUpperCase().replace("CANCELLED", "CANCELED");
    if (statuses.includes(word)) return word;
    throw expected(statuses.join(", "));
  };
}

export function proofModes(text: string): ProofModes {
  const modes = parseProofModes(text);
  if (modes) return modes;
  throw expected(`tests, security, perf or docs, each with a mode behind it such as =require: ${MODES_LISTED}`);
}

/** Help of the option of a step, which a plan and a workspace have in other words. */
export const PROOF_HELP = `what it needs proof of: tests, or tests=warn,docs=require; ${MODES_LISTED} (default: require)`;

/** `criteria=other,tests=other`, or the names alone; an empty text names none. */
export function confirmOthers(text: string): Checkpoint[] {
  const confirm = text.trim() === "" ? {} : parseConfirm(text);
  if (confirm) return CHECKPOINTS.filter((c) => confirm[c]);
  throw expected(`checkpoints such as criteria=other: ${CHECKPOINTS.join(", ")}`);
}

export const CONFIRM_HELP = "checkpoints that another actor confirms than who claimed it, such as criteria=other";
export const FILES_HELP = "a file or folder that it is about: a change there makes its proof stale; may be repeated";

const STEP_MEANT = "its path (s:0), id, or a part of its title";

export const ID = argument("<id>", "such as TASK-001; 1 and task-1 mean it where only one fits", { completes: "ids" });
export const STEP = argument("[step]", STEP_MEANT, { completes: "steps" });
/** An id that a command asks for, whose help says no more of it. */
export const SOME_ID = argument("<id>", "", { completes: "ids" });
export const FOCUS = idOr("the focus");
export const ONE_OR_ALL = idOr("all of them");

/** An id that may be left out. */
export function idOr(otherwise: string) {
  return argument("[id]", `default: ${otherwise}`, { completes: "ids" });
}

/** A step that may be left out. */
export function stepOr(otherwise: string) {
  return argument("[step]", `${STEP_MEANT} (default: ${otherwise})`, { completes: "steps" });
}

export const STEP_HELP = STEP_MEANT;

export const AT = option("--at <when>", "as of a revision, or of the change with this event id");
export const MAX_CHARS = option("--max-chars <n>", "at most so many characters of JSON; what was cut is said", {
  parse: count,
});
export const LIMIT = option("--limit <n>", "at most so many", { parse: count });
export const WHY = option("--reason <text>", "why");
export const TAG = option("--tag <tag>", "only with this tag; may be repeated", { parse: collect });

/** A plan that an option names. */
export function planOption(help: string) {
  return option("--plan <id>", help, { completes: "plans" });
}

/** Options of a new plan or task. */
export const LISTED = [
  option("--description <text>", "what it is about"),
  option("--priority <word>", "LOW, MEDIUM, HIGH or another word"),
  option("--tag <tag>", "may be repeated", { parse: collect }),
  option("--depends-on <id>", "what has to be DONE before; may be repeated", { parse: collect, completes: "ids" }),
  option("--id <id>", "an id of your own (default: the next number)"),
  option(
    "--complete-when-done",
    "closing the last step completes the task; of a plan: so with each task, and the last one completes the plan",
  ),
];

/** Options that every command takes. */
export const GLOBALS = [
  option("-C <dir>", "work in this folder (default: the nearest one upwards that holds .coco)"),
  option("--by <who>", "who acts: NAME, human:NAME, agent:NAME or system (default: TASKFOLD_BY, else git's user.name)"),
  option("--shared <servers>", "write through this shared log, nats://HOST:4222 (default: TASKFOLD_SHARED)"),
  option("--json", "one JSON document on stdout, errors included"),
  option("-q, --quiet", "print no more than ids, errors and warnings of lost work"),
];

export const VERSION = option("--version", "print the versions of Taskfold, of its logs and of Node.js");
