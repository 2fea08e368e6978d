/** `taskfold prime --stop-hook`: keeps an agent at work while a call is missing, at most twice in a row (ONBOARD rules). */
import { nodeDisk } from "../../disk.ts";
import { EXIT, isTaskfoldError } from "../../errors.ts";
import { startCommandOf } from "../onboard/start_command.ts";
import { StopCount } from "../onboard/stop_count.ts";
import type { CliResult } from "./cli_result.ts";
import { reading } from "./read.ts";
import type { Session } from "./session.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Owed } from "./work.ts";
import { owedNow } from "./work.ts";
import { workTool } from "../../tools/command_line/work.ts";

/** `true`: the form of Claude Code, which Codex has, too. */
export type StopForm = true | "cursor";

const INPUT_BYTES = 4 * 1024 * 1024;
const TIMES_IN_A_ROW = 2;
/** A client writes its input at once. One that leaves stdin open waits for the answer. */
const INPUT_MS = 3000;

/** Prints nothing, and ends with 0, whatever goes wrong: no session may fail by its hook. */
export async function stopHook(session: Session, form: StopForm, quoted: (text: string) => string): Promise<CliResult> {
  const out = await answer(session, form, quoted).catch((e: unknown) => {
    if (isTaskfoldError(e) || isFromSystem(e)) return "";
    throw e;
  });
  return { exit: EXIT.ok, json: out === "" ? {} : (JSON.parse(out) as object), human: () => ({ out, err: "" }) };
}

async function answer(session: Session, form: StopForm, quoted: (text: string) => string): Promise<string> {
  const asked = askedBy(form, await session.io.stdin(INPUT_BYTES, INPUT_MS));
  if (!asked || !session.isWorkspace()) return "";
  const count = counterOf(session.workspaceRoot(), asked);
  const before = count.get();
  if (before >= TIMES_IN_A_ROW) return "";
  const [first, ...rest] = await reading(session, (call) => owedNow(session, call), workTool);
  if (!first) {
    count.forget();
    return "";
  }
  const program = `${startCommandOf(session.root)} --by ${await session.by()}`;
  const reason = reasonOf(first, rest.length, program, quoted);
  count.set(before + 1);
  return `${JSON.stringify(form === "cursor" ? { followup_message: reason } : { decision: "block", reason })}\n`;
}

/** The session, as the client tells of it. `isAgain`: a stop hook has kept the agent at work already. */
interface Asked {
  session: string;
  /** Null: the client does not count. */
  times: number | null;
  isAgain: boolean;
}

/** Undefined for what is no stop of this client, and for one after which nothing goes on. */
function askedBy(form: StopForm, bytes: Buffer): Asked | undefined {
  const given = parsed(bytes);
  if (form === "cursor") {
    const { hook_event_name: event, status, loop_count: times, conversation_id: session } = given;
    if (event !== "stop" || status !== "completed" || !Number.isSafeInteger(times)) return undefined;
    return { session: String(session), times: times as number, isAgain: (times as number) > 0 };
  }
  const { hook_event_name: event, session_id: session, stop_hook_active: isAgain } = given;
  if (event !== "Stop" || typeof session !== "string" || typeof isAgain !== "boolean") return undefined;
  return { session, times: null, isAgain };
}

/** Cursor writes a byte order mark before it. */
function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

interface Counter {
  get: () => number;
  set: (count: number) => void;
  forget: () => void;
}

/** Claude Code and Codex say only that there was a block before. Then a count that is lost is one that is full. */
function counterOf(root: string, { session, times, isAgain }: Asked): Counter {
  if (times !== null) return { get: () => times, set: () => undefined, forget: () => undefined };
  const kept = new StopCount(nodeDisk, root, session);
  return {
    get: () => (isAgain ? kept.get() || TIMES_IN_A_ROW : 0),
    set: (count) => kept.set(count),
    forget: () => kept.forget(),
  };
}

function reasonOf(owed: Owed, more: number, program: string, quoted: (text: string) => string): string {
  const { id, path, title, why, before, args, release } = owed;
  const place = path === null ? id : `${id} ${path}`;
  const line = (text: string): string => `${program} ${text}`;
  const what = release === null ? "you closed" : "you hold a claim on";
  const rest = more === 0 ? "" : ` There is more: ${line("status")}`;
  const call = safeLine(`${before}${line(args)}`);
  const lines = [`Taskfold: ${what} ${place} ${quoted(title)}, ${why}.${rest}`, `Run: ${call}`];
  if (release !== null && release !== args) lines.push(`If you cannot finish it now, give it back: ${line(release)}`);
  return lines.join("\n");
}

function isFromSystem(e: unknown): boolean {
  return e instanceof Error && typeof (e as NodeJS.ErrnoException).code === "string";
}
