/** The result of a call for people: views as a screen, changes as a sentence, the rest as JSON. */
import type { Reply } from "../../../engine/entity/reply.ts";
import type { JsonObject } from "../../../index.ts";
import type { Block } from "./layout.ts";
import { blocks, heading, sentences } from "./layout.ts";
import { deltaText, historyText } from "./history_text.ts";
import { listText } from "./list_text.ts";
import type { NotesLeftOut } from "./notes_left_out.ts";
import { notesLeftOut } from "./notes_left_out.ts";
import { safeJson, safeLine, textOf } from "./safe_text.ts";
import { folded } from "./folded.ts";
import { timeAndAge, timeText } from "./times.ts";
import type { Look } from "./look.ts";
import type { Colors } from "../session.ts";

/** The answer of radar and handoff. A small `max_chars` may have cut any of it away. */
interface View {
  target?: { id: string; kind: string; title: string; status: string; revision: number };
  radar?: { now?: string; why?: string; verify?: string[]; next?: string[]; blockers?: string[] };
  tasks?: PlanTasks;
  handoff?: {
    done?: string[];
    remaining?: string[];
    risks?: string[];
    notes?: { ts: string; by: string; path: string | null; text: string }[];
    notes_left_out?: NotesLeftOut;
  };
  budget?: { omitted: Record<string, number>; truncated: string[] };
}

interface PlanTasks {
  total: number;
  by_status: Record<string, number>;
  counts?: Record<string, number>;
  ready?: { id: string; title?: string; path: string; step?: string }[];
  claimed?: { id: string; path: string | null; by: string; expires_at: string }[];
  at_risk?: { id: string; why?: string[] }[];
  ready_to_complete?: { id: string; title?: string }[];
}

type TaskList = "ready" | "claimed" | "at_risk" | "ready_to_complete";

export function resultText(
  { intent, result }: Reply,
  { colors, columns: wide, calls = false, program }: Pick<Look, "colors" | "columns" | "calls" | "program">,
): string {
  if (result === null) return "";
  if (intent === "tasks_radar")
    return viewText(result as View, (view) => radarBlocks(view, program, wide), colors, wide);
  if (intent === "tasks_handoff")
    return viewText(result as View, (view) => handoffBlocks(view, program, wide), colors, wide);
  if (intent === "tasks_context") return listText(result as unknown as Parameters<typeof listText>[0], colors, wide);
  if (intent === "tasks_history")
    return historyText(result as unknown as Parameters<typeof historyText>[0], { colors, wide, calls });
  if (intent === "tasks_delta")
    return deltaText(result as unknown as Parameters<typeof deltaText>[0], { colors, wide, calls });
  if (intent.startsWith("tasks_focus_")) return focusText(result);
  const events = eventsOf(result);
  if (events.length > 0) return sentences(changeText(result, events, wide), wide);
  return `${safeJson(result, 2)}\n`;
}

/** For scripts: one line for each plan or task that an answer is about. */
export function idsText({ result }: Reply): string {
  if (result === null) return "";
  const rows = ["plans", "tasks"].flatMap((part) =>
    Array.isArray(result[part]) ? (result[part] as JsonObject[]) : [],
  );
  const target = result["target"] as JsonObject | undefined;
  const own = result["task"] ?? result["id"] ?? target?.["id"];
  const ids = own === undefined ? rows.map((row) => row["id"]) : [own];
  return ids.map((id) => `${safeLine(textOf(id))}\n`).join("");
}

function viewText(view: View, body: (view: View, wide?: number) => Block[], colors: Colors, wide?: number): string {
  const { target } = view;
  const marks = target ? `${target.kind}, ${target.status}, revision ${target.revision}` : "";
  const head = target ? `${heading(target.id, target.title, marks, colors, wide)}\n` : "";
  return head + blocks(body(view, wide), colors, wide);
}

function radarBlocks({ target, radar, tasks, budget }: View, program: string, wide?: number): Block[] {
  if (!radar) return [];
  return [
    ...(tasks ? [["Tasks", taskLines(tasks, wide)] as const] : []),
    ...(budget?.truncated.includes("tasks") ? [["Tasks", LEFT_OUT] as const] : []),
    ["Now", radar.now ?? ""],
    ["Why", folded(radar.why ?? "", { id: target?.id ?? "", program, wide })],
    ["Verify", listed(radar.verify, budget?.omitted["radar.verify"])],
    ["Next", listed(radar.next, budget?.omitted["radar.next"])],
    ["Blockers", listed(radar.blockers, budget?.omitted["radar.blockers"])],
  ];
}

/** Blocked tasks and conflicts stand under Blockers. */
function taskLines(tasks: PlanTasks, wide: number | undefined): string[] {
  const { total, by_status, counts } = tasks;
  const statuses = Object.entries(by_status).flatMap(([status, count]) => (count > 0 ? [`${count} ${status}`] : []));
  const place = (id: string, path: string | null): string => (path === null ? id : `${id} ${path}`);
  const lines = <L extends TaskList>(list: L, line: (row: NonNullable<PlanTasks[L]>[number]) => string): string[] => {
    const rows: NonNullable<PlanTasks[L]>[number][] = tasks[list] ?? [];
    const label = list.replaceAll("_", " ");
    const more = (counts?.[list] ?? rows.length) - rows.length;
    return [...rows.map((row) => `${label}: ${line(row).trimEnd()}`), ...(more > 0 ? [`${label}: ${more} more`] : [])];
  };
  return [
    `${total} in all${statuses.length > 0 ? `: ${statuses.join(", ")}` : ""}`,
    ...lines("ready", ({ id, path, step = "" }) => `${place(id, path)} ${step}`),
    ...lines(
      "claimed",
      ({ id, path, by, expires_at }) => `${place(id, path)} by ${by} until ${timeAndAge(expires_at, wide)}`,
    ),
    ...lines("at_risk", ({ id, why = [] }) => `${id} ${why.join("; ")}`),
    ...lines("ready_to_complete", ({ id, title = "" }) => `${id} ${title}`),
    ...(counts ? [] : [LEFT_OUT]),
  ];
}

const LEFT_OUT = "(left out to fit max_chars)";

/** Without a handoff, which a small budget takes away, what is left is the radar. */
function handoffBlocks(view: View, program: string, wide?: number): Block[] {
  const { handoff, budget } = view;
  if (!handoff) return radarBlocks(view, program, wide);
  const { notes_left_out: out } = handoff;
  const notes = handoff.notes?.map(
    ({ ts, by, path, text }) => `${timeText(ts, wide)} ${by}${path === null ? "" : ` on ${path}`}: ${text}`,
  );
  return [
    ["Done", listed(handoff.done, budget?.omitted["handoff.done"])],
    ["Remaining", listed(handoff.remaining, budget?.omitted["handoff.remaining"])],
    ["Risks", listed(handoff.risks, budget?.omitted["handoff.risks"])],
    [
      "Notes",
      [...listed(notes, budget?.omitted["handoff.notes"]), ...(out === undefined ? [] : [notesLeftOut(out, program)])],
    ],
    ...radarBlocks(view, program, wide),
  ];
}

/** Says how many items a budget left out: they are not the same as nothing. */
function listed(items: readonly string[] = [], omitted = 0): readonly string[] {
  return omitted === 0 ? items : [...items, `(${omitted} left out to fit max_chars)`];
}

/** A change says its one event as `event`, several as `events`. */
function eventsOf({ event, events }: JsonObject): JsonObject[] {
  if (Array.isArray(events)) return events as JsonObject[];
  return event === undefined ? [] : [event as JsonObject];
}

function focusText({ focus = null, previous = null }: JsonObject): string {
  const was = previous === null || previous === focus ? "" : ` (it was ${textOf(previous)})`;
  return safeLine(`${focus === null ? "No focus" : `The focus is ${textOf(focus)}`}${was}.`) + "\n";
}

/** `TASK-001 revision 7: Closed s:0 "Write the grammar".` and what else happened in the same op. */
function changeText(result: JsonObject, events: readonly JsonObject[], wide?: number): string {
  // A block and the gate that it closes are two events of one sentence.
  const messages = [...new Set(events.map((event) => safeLine(textOf(event["message"] ?? event["type"]))))];
  const whose = `${textOf(result["task"] ?? result["id"])} revision ${textOf(result["revision"])}`;
  const cite = Array.isArray(result["cite"]) ? result["cite"].map(textOf).join(", ") : "";
  const lease = result["lease"] as JsonObject | null | undefined;
  const isOwn = events.some(({ type }) => type === "lease_claimed");
  const lines = [
    `${safeLine(whose)}: ${messages[0]}`,
    ...messages.slice(1).map((s) => `  ${s}`),
    ...(cite === "" ? [] : [`  cite as ${safeLine(cite)}`]),
    ...(lease && isOwn ? [`  fence ${textOf(lease["fence"])}: shows in later calls that it is yours still`] : []),
    // The claim of another branch, which the released one had displaced.
    ...(lease && !isOwn
      ? [`  claimed by ${safeLine(textOf(lease["by"]))} until ${timeAndAge(textOf(lease["expires_at"]), wide)}`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}
