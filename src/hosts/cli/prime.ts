/** `taskfold prime`: what an agent has before it when a session starts, in few characters (ONBOARD rules). */
import type { Reply } from "../../engine/entity/reply.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, isTaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { callLine, GUIDES_LINE, rulesOf, sessionCalls, startCall } from "../onboard/house_rules.ts";
import { startCommandOf } from "../onboard/start_command.ts";
import type { CliResult } from "./cli_result.ts";
import { reading } from "./read.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import type { StopForm } from "./stop_hook.ts";
import { nowOf } from "./work.ts";
import type { Now } from "./work.ts";
import { timeText } from "./text/times.ts";

export interface PrimeOptions {
  maxChars?: number;
  /** `true`: the form that Claude Code, Codex and Gemini CLI take in. */
  hook?: true | "cursor" | "copilot";
  stopHook?: StopForm;
}

const MAX_CHARS = 4000;
/** Of a title, the rest of which `show` has. */
const LONGEST_TITLE = 100;

export async function prime(session: Session, options: PrimeOptions): Promise<CliResult> {
  const { maxChars = MAX_CHARS, hook, stopHook } = options;
  if (stopHook) return (await import("./stop_hook.ts")).stopHook(session, stopHook, quoted);
  const { text, result, warnings = [] } = await content(session, maxChars, hook !== undefined);
  const json = hook ? hookOutput(text, hook) : okReply("prime", { ...result, text }, warnings, []);
  const out = hook ? `${JSON.stringify(json)}\n` : text;
  return { exit: EXIT.ok, json, human: () => ({ out, err: "" }) };
}

/** The text in the form that the client takes in from a start hook. VS Code runs the hook of Copilot CLI, and reads a form of its own. */
function hookOutput(text: string, form: NonNullable<PrimeOptions["hook"]>): object {
  const common = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } };
  if (form === "cursor") return { additional_context: text };
  return form === "copilot" ? { additionalContext: text, ...common } : common;
}

interface Content {
  text: string;
  result: JsonObject;
  warnings?: Reply["warnings"];
}

async function content(session: Session, most: number, isHook: boolean): Promise<Content> {
  if (!session.isWorkspace()) {
    const left = session.leftOut();
    if (left) return { text: cut(`${left.message} ${left.recovery}\n`, most), result: { workspace: null } };
    const line = `No Taskfold workspace here: ${session.program} init makes one, ${session.program} onboard connects agents to it.`;
    return { text: cut(`${line}\n`, most), result: { workspace: null } };
  }
  try {
    const { now, warnings } = await reading(session, (call) => nowOf(session, call));
    const left = warnings.filter(({ code }) => code === "NOT_CHECKED_OUT");
    return {
      text: written(now, left, startCommandOf(session.root), most),
      result: now as unknown as JsonObject,
      warnings,
    };
  } catch (e) {
    // A session starts without the work at hand rather than not at all.
    if (!isHook || !isTaskfoldError(e)) throw e;
    return {
      text: cut(`Taskfold could not read the tasks (${e.code}): ${session.program} doctor says why.\n`, most),
      result: {},
    };
  }
}

/** A part of the text; a part that does not fit leaves its later lines out, or all of itself. */
interface Part {
  head: string;
  lines: readonly string[];
  /** Where the lines that were left out are to be found. */
  more?: string;
}

/** `command`: what starts Taskfold here, in what is told to be typed. */
function written(now: Now, left: Reply["warnings"], command: string, most: number): string {
  const title = `# Tasks of ${token(now.workspace)} (Taskfold)`;
  const counts = Object.entries(now.by_status).flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []));
  const lines = [...rulesOf(command), GUIDES_LINE];
  const rules: Part = { head: "Rules:", lines: lines.map((rule) => `- ${rule}`), more: `${command} help steps` };
  const parts: Part[] = [
    {
      head: `You are ${token(now.by)}. In all: ${counts.length === 0 ? "nothing yet" : counts.join(", ")}.`,
      lines: [],
    },
    ...left.map(({ message, recovery }) => ({ head: `${message} ${recovery}`, lines: [] })),
    ...stateParts(now, command),
  ];
  const calls = sessionCalls(now.workspace);
  const begin: Part = {
    head: "Begin with, through the MCP server taskfold:",
    lines: [...calls.slice(0, 3), ...calls.slice(4, 6), startCall(now.workspace)].map((one) => `- ${callLine(one)}`),
    more: "AGENTS.md",
  };
  // Rules and calls are bounded, and the work is not: it gets what they leave.
  const fixed = [title, partText(rules), partText(begin)].join("\n\n").length + 2;
  if (fixed + SMALLEST_STATE <= most)
    return [title, ...fitted(parts, most - fixed - 2), partText(rules), `${partText(begin)}\n`].join("\n\n");
  return cut([title, ...fitted([...parts, rules, begin], most - title.length - 3)].join("\n\n") + "\n", most);
}

/** Below this the rules give way to the work. */
const SMALLEST_STATE = 400;

function stateParts(now: Now, command: string): Part[] {
  const place = (id: string, path: string | null): string =>
    path === null ? token(id) : `${token(id)} ${token(path)}`;
  const part = (head: string, lines: readonly string[], more: string): Part[] =>
    lines.length === 0 ? [] : [{ head, lines: lines.map((line) => `- ${line}`), more: `${command} ${more}` }];
  const focus = now.focus === null ? [] : [token(now.focus)];
  return [
    ...part(
      "Mine (claimed):",
      now.mine.map(
        ({ id, title, path, expires_at }) =>
          `${place(id, path)} ${quoted(title)} until ${token(timeText(expires_at, undefined))}`,
      ),
      "list --mine",
    ),
    ...part("Focus:", focus, "show"),
    ...part(
      "To complete, nothing is open in it:",
      now.to_complete.map(({ id, title }) => `${token(id)} ${quoted(title)}`),
      "status",
    ),
    ...part(
      now.ready_more ? `Ready, the most urgent (\`${command} ready\` lists more):` : "Ready:",
      now.ready.map(({ id, path, step, title }) =>
        step === null
          ? `${token(id)} ${quoted(title)} has no steps yet`
          : `${place(id, path)} ${quoted(step)} of ${quoted(title)}`,
      ),
      "ready",
    ),
    ...part("Conflicts:", now.conflicts.map(because), "status"),
    ...part("Blocked:", now.blocked.map(because), "list --blocked"),
    ...part(
      "Logs that are not whole:",
      now.damaged.map(({ id, codes }) => `${token(id)}: ${codes.map(token).join(", ")}`),
      "doctor",
    ),
  ];
}

function because({ id, title, why }: { id: string; title: string; why: string[] }): string {
  return `${token(id)} ${quoted(title)}: ${quoted(why[0] ?? "")}`;
}

function partText({ head, lines }: Part): string {
  return [head, ...lines].join("\n");
}

/** As many lines of each part as fit, in their order; parts are joined by an empty line. */
function fitted(parts: readonly Part[], most: number): string[] {
  const texts: string[] = [];
  let left = most;
  for (const part of parts) {
    const text = fittedPart(part, left);
    if (text === undefined) continue;
    texts.push(text);
    left -= text.length + 2;
  }
  return texts;
}

function fittedPart({ head, lines, more }: Part, most: number): string | undefined {
  for (let shown = lines.length; shown >= 0; shown--) {
    const rest = shown < lines.length ? [`- ${lines.length - shown} more: ${more}`] : [];
    const text = [head, ...lines.slice(0, shown), ...rest].join("\n");
    if (text.length <= most) return text;
  }
  return undefined;
}

/** A text of people in quotes on one line: no line break, code fence, tag or control character of it comes through. */
function quoted(text: string): string {
  // A pair of units that the cut parts goes as a whole.
  const short =
    text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
  return JSON.stringify(safeLine(short)).replace(/[<>`&]/g, escaped);
}

/** Ids and names as they are; anything else in quotes. */
function token(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,127}$/.test(text) ? text : quoted(text);
}

function escaped(c: string): string {
  return `\\u00${c.charCodeAt(0).toString(16)}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(most - 1, 0))}\n`.slice(0, most);
}
