/** The result of a call for people: views as a screen, changes as a sentence, the rest as JSON. */
import type { Reply } from "../../engine/reply.ts";
import type { JsonObject } from "../../index.ts";
import type { Block } from "./layout.ts";
import { blocks } from "./layout.ts";
import { listText } from "./list_text.ts";
import { safeJson, safeLine, textOf } from "./safe_text.ts";
import type { Colors } from "./session.ts";

/** What radar and handoff answer; a small `max_chars` may have cut any of it away. */
interface View {
  target?: { id: string; kind: string; title: string; status: string; revision: number };
  radar?: { now?: string; why?: string; verify?: string[]; next?: string[]; blockers?: string[] };
  handoff?: {
    done?: string[];
    remaining?: string[];
    risks?: string[];
    notes?: { ts: string; by: string; path: string | null; text: string }[];
  };
}

export function resultText({ intent, result }: Reply, colors: Colors): string {
  if (result === null) return "";
  if (intent === "tasks_radar") return viewText(result as View, radarBlocks, colors);
  if (intent === "tasks_handoff") return viewText(result as View, handoffBlocks, colors);
  if (intent === "tasks_context") return listText(result as unknown as Parameters<typeof listText>[0], colors);
  if (Array.isArray(result["events"]) && result["events"].length > 0) return changeText(result);
  return `${safeJson(result, 2)}\n`;
}

function viewText(view: View, body: (view: View) => Block[], colors: Colors): string {
  const { target } = view;
  const head = target
    ? `${colors.bold(safeLine(target.id))}  ${safeLine(target.title)}  ${colors.dim(`(${target.kind}, ${target.status}, revision ${target.revision})`)}\n\n`
    : "";
  return head + blocks(body(view), colors);
}

function radarBlocks({ radar = {} }: View): Block[] {
  return [
    ["Now", radar.now ?? ""],
    ["Why", radar.why ?? ""],
    ["Verify", radar.verify ?? []],
    ["Next", radar.next ?? []],
    ["Blockers", radar.blockers ?? []],
  ];
}

function handoffBlocks(view: View): Block[] {
  const { done = [], remaining = [], risks = [], notes = [] } = view.handoff ?? {};
  return [
    ["Done", done],
    ["Remaining", remaining],
    ["Risks", risks],
    ["Notes", notes.map(({ ts, by, path, text }) => `${ts} ${by}${path === null ? "" : ` on ${path}`}: ${text}`)],
    ...radarBlocks(view),
  ];
}

/** `TASK-001 revision 7: Closed s:0 "Write the grammar".` and what else happened in the same op. */
function changeText(result: JsonObject): string {
  const events = result["events"] as JsonObject[];
  const said = events.map((event) => safeLine(textOf(event["message"] ?? event["type"])));
  const whose = `${textOf(result["task"] ?? result["id"])} revision ${textOf(result["revision"])}`;
  const cite = Array.isArray(result["cite"]) ? result["cite"].map(textOf).join(", ") : "";
  const lines = [
    `${safeLine(whose)}: ${said[0]}`,
    ...said.slice(1).map((s) => `  ${s}`),
    ...(cite === "" ? [] : [`  cite as ${safeLine(cite)}`]),
  ];
  return `${lines.join("\n")}\n`;
}
