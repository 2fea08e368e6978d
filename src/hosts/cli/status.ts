/** `taskfold status`: the rows of `tasks_status`, and what this machine and the caller have beside them. */
import { unwrap } from "../../engine/entity/unwrap.ts";
import { counted } from "../../state/counted.ts";
import type { JsonObject } from "../../index.ts";
import type { HappenedChange, HappenedRow } from "../../tools/tasks_status.ts";
import { fitStatus, happenedRows, statusChanges } from "../../tools/tasks_status.ts";
import type { CliResult } from "./cli_result.ts";
import { ofLogs, reading } from "./read.ts";
import { startedHere } from "./text/started_here.ts";
import type { Session } from "./session.ts";
import type { Block } from "./text/layout.ts";
import { blocks } from "./text/layout.ts";
import { command } from "./text/reply_text.ts";
import type { Now } from "./work.ts";
import { ageText, localDay, timeAndAge } from "./text/times.ts";
import { nowOf, replyWith } from "./work.ts";

interface NeedRow {
  what: string;
  task: string;
  title: string;
  path: string | null;
  why: string;
  who: string[];
  since: string | null;
  held?: { by: string; until: string };
  call: { tool: string; input: JsonObject } | null;
  command?: string;
}

/** A small budget leaves out changes first. */
type ShownRow = Omit<HappenedRow, "changes"> & Partial<Pick<HappenedRow, "changes">>;

interface StatusRows {
  now: string;
  since: string | null;
  needs_you: NeedRow[];
  happened: ShownRow[];
  happened_more: boolean;
  unseen: { plans: number; tasks: number; ended: number; archived: number };
}

type Looked = Omit<StatusRows, "happened"> & { changes: HappenedChange[] };

interface Status
  extends
    StatusRows,
    Pick<Now, "workspace" | "by" | "focus" | "by_status" | "mine" | "ready" | "ready_more" | "damaged"> {
  /** Tasks that only wait for others. */
  waiting: Now["waiting"];
  /** Files that a stopped merge left open. */
  unmerged: string[];
}

interface StatusOptions {
  since?: string;
  only?: string;
  all?: boolean;
  maxChars?: number;
}

export function status(session: Session, { since, only, all, maxChars }: StatusOptions): Promise<CliResult> {
  const input = {
    ...(since === undefined ? {} : { since }),
    ...(only === undefined ? {} : { by: only }),
    ...(all === true ? { all } : {}),
  };
  return reading(
    session,
    (call, reader) =>
      reader.fromOneLook(async () => {
        const reply = await call(statusChanges, input);
        const { changes, ...looked } = unwrap(reply) as unknown as Looked;
        // `tasks_status` says what proof is stale.
        const { now } = await nowOf(session, (tool, asked) => call(ofLogs(tool), asked));
        const { workspace, by, focus, by_status, mine, ready, ready_more, damaged, waiting } = now;
        const own = { workspace, by, focus, by_status, mine, ready, ready_more, damaged, waiting };
        const unmerged = await unmergedFiles(session.root);
        // A person's days are those of this machine's zone.
        const dayOf = session.json || session.columns === undefined ? undefined : localDay;
        const whole: Status = { ...looked, happened: happenedRows(changes, dayOf), ...own, unmerged };
        const { result, warnings } = fitStatus(whole as unknown as JsonObject, maxChars);
        return replyWith(session, "status", result, [...reply.warnings, ...warnings], () =>
          session.quiet ? "" : statusText(whole, result, session),
        );
      }),
    statusChanges,
  );
}

/** A screen reads these in place of members that a small budget left out, and none of them as if nothing were there. */
const NONE: Omit<Status, "workspace" | "by" | "now"> = {
  since: null,
  needs_you: [],
  happened: [],
  happened_more: false,
  unseen: { plans: 0, tasks: 0, ended: 0, archived: 0 },
  focus: null,
  by_status: {},
  mine: [],
  ready: [],
  ready_more: false,
  damaged: [],
  waiting: [],
  unmerged: [],
};

/** Rows of the screen by the members that they show. */
const ROWS: readonly (readonly [keyof Status, string])[] = [
  ["focus", "Focus"],
  ["by_status", "In all"],
  ["needs_you", "Needs you"],
  ["unmerged", "In git"],
  ["damaged", "Not whole"],
  ["unseen", "Not read"],
  ["mine", "Mine"],
  ["waiting", "Waiting"],
  ["ready", "Ready"],
  ["happened", "Happened"],
];

/** Rows of which a small budget left out a part or all. */
function cutRows(whole: Status, result: JsonObject): string[] {
  return ROWS.flatMap(([name, label]) => (JSON.stringify(result[name]) === JSON.stringify(whole[name]) ? [] : [label]));
}

async function unmergedFiles(root: string): Promise<string[]> {
  const { unmergedIn } = await import("./git/unmerged.ts");
  return unmergedIn(root).flatMap(({ file, info }) => (info ? [] : [file]));
}

const LABELS: readonly (readonly [string, string])[] = [
  ["complete", "To complete"],
  ["conflict", "Conflicts"],
  ["proof", "Proof"],
  ["claim_over", "Ended claims"],
  ["blocked", "Blocked"],
  ["gate", "Gates"],
  ["drift", "Drift"],
  ["note", "Notes"],
];

function statusText(whole: Status, result: JsonObject, session: Session): string {
  const { workspace, by, now } = whole;
  const all: Status = { ...NONE, ...(result as Partial<Status>), workspace, by, now };
  const { needs_you: needs, happened } = all;
  const cut = cutRows(whole, result);
  const unlessCut = (label: string, content: Block[1]): Block[] => (cut.includes(label) ? [] : [[label, content]]);
  const { colors, columns: wide, program } = session;
  const list = (label: string, lines: readonly string[]): Block[] => (lines.length === 0 ? [] : [[label, lines]]);
  const place = (id: string, path: string | null): string => (path === null ? id : `${id} ${path}`);
  const counts = Object.entries(all.by_status).flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []));
  const endOf = ({ held, call, command: line }: NeedRow): string => {
    if (held) return `claimed by ${held.by} until ${timeAndAge(held.until, wide)}`;
    if (line !== undefined) return startedHere(line, program);
    return call ? command({ tool: call.tool, args: call.input, reason: "" }, session, workspace) : "";
  };
  const needLine = (row: NeedRow): string => {
    if (row.what === "complete" && !row.held) return `${endOf(row)}  (${row.title})`;
    const about = [
      ...(row.who.length === 0 ? [] : [row.who.join(", ")]),
      ...(row.since ? [ageText(row.since, now)] : []),
    ];
    return `${row.task}: ${row.why}${about.length === 0 ? "" : ` (${about.join(", ")})`}; ${endOf(row)}`;
  };
  const lines: Block[] = [
    ["Workspace", workspace],
    ["You are", by],
    ...(all.focus === null ? [] : ([["Focus", all.focus]] as const)),
    ...unlessCut("In all", counts.length === 0 ? "nothing yet" : counts.join(", ")),
    ...(needs.length === 0 ? unlessCut("Needs you", "nothing") : []),
    ...LABELS.flatMap(([what, label]) => list(label, needs.filter((row) => row.what === what).map(needLine))),
    ...list("In git", all.unmerged.length === 0 ? [] : [`${named(all.unmerged)} not merged yet (${program} doctor)`]),
    ...list(
      "Not whole",
      all.damaged.map(({ id, codes }) => `${id}: ${codes.join(", ")} (${program} doctor ${id})`),
    ),
    ...unseenBlock(all.unseen, program),
    ...unlessCut(
      "Mine",
      all.mine.map(
        ({ id, title, path, expires_at }) => `${place(id, path)} ${title} (until ${timeAndAge(expires_at, wide)})`,
      ),
    ),
    ...list(
      "Waiting",
      all.waiting.map(({ id, waits_for }) => `${id}: Waits for ${waits_for.join(", ")}`),
    ),
    ...list("Ready", [
      ...all.ready.map(({ id, path, step, title }) => `${place(id, path)} ${step ?? title}`),
      ...(all.ready_more && all.ready.length > 0 ? [`more: ${program} ready`] : []),
    ]),
    ...list("Happened", happenedLines(all, happened, session)),
    ...(cut.length === 0 ? [] : ([["Left out", `from ${cut.join(", ")}; a larger --max-chars shows it`]] as const)),
  ];
  return blocks(lines, colors, wide);
}

/** A screen of them; all are in `--json`. */
const SHOWN = 12;

function happenedLines(
  { now, happened_more: isMore }: StatusRows,
  rows: readonly ShownRow[],
  { program }: Pick<Session, "program">,
): string[] {
  const shown = rows.slice(0, SHOWN);
  const line = ({ by, task, until, count, changes }: ShownRow): string => {
    const last = changes?.[0]?.message ?? "";
    const others = count > 1 ? ` (and ${counted(count - 1, "change")} before)` : "";
    return `${ageText(until, now)} ${by} ${task}: ${last}${others}`;
  };
  const more = rows.length > shown.length || isMore;
  return [...shown.map(line), ...(more ? [`more: ${program} history`] : [])];
}

const NAMED = 3;

function named(files: readonly string[]): string {
  if (files.length <= NAMED) return files.join(", ");
  return `${files.slice(0, NAMED).join(", ")} and ${files.length - NAMED} more`;
}

function unseenBlock({ plans, tasks, ended, archived }: StatusRows["unseen"], program: string): Block[] {
  const parts = [
    ...(plans > 0 ? [counted(plans, "plan")] : []),
    ...(tasks > 0 ? [counted(tasks, "task")] : []),
    ...(ended > 0 ? [`${ended} that ended`] : []),
    ...(archived > 0 ? [`${archived} in the archive`] : []),
  ];
  if (parts.length === 0) return [];
  const last = parts.length > 1 ? ` and ${parts.at(-1)}` : "";
  const all = last === "" ? parts : parts.slice(0, -1);
  return [["Not read", `${all.join(", ")}${last}: ${program} status --all looks for conflicts and drift there, too`]];
}
