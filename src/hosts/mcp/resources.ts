/**
 * The resources that a client may read beside calling tools: the radar, two folded files and the effective Taskdoc of
 * each plan and task. They are rendered from the log when they are asked for, so that no client reads a file that is
 * about to be written.
 */
import type { Resource, TextResourceContents } from "@modelcontextprotocol/server";
import type { Workspace } from "../../engine/workspace.ts";
import type { Workspaces } from "../../engine/workspaces.ts";
import { TaskfoldError } from "../../errors.ts";
import type { EffectiveTaskdocOf, JsonObject } from "../../index.ts";
import { GUIDE_RESOURCES, guideIn, guideOf } from "./guides.ts";

const KINDS = {
  radar: { mimeType: "application/json", about: "now, why, verify, next, blockers" },
  "task.yaml": { mimeType: "application/yaml", about: "state, steps, gates and evidence, for programs" },
  "README.md": { mimeType: "text/markdown", about: "state and steps, for people" },
  taskdoc: { mimeType: "text/markdown", about: "the effective Taskdoc, for the context of agents" },
  "taskdoc.zh": { mimeType: "text/markdown", about: "the effective Taskdoc, with the engine's own words in Chinese" },
} as const;

type Kind = keyof typeof KINDS;

/** In the effective Taskdocs of this server: what stands beside the text. */
export const META = "io.github.taskfold/taskdoc";

const PAGE = 50;
const URI = /^taskfold:\/\/tasks\/([^/]+)\/([^/]+)$/;

export const TEMPLATES = Object.entries(KINDS).map(([kind, { mimeType, about }]) => ({
  uriTemplate: `taskfold://tasks/{id}/${kind}`,
  name: kind,
  description: `Of a plan or task: ${about}.`,
  mimeType,
}));

/** The URIs of one plan or task. */
export function urisOf(id: string): string[] {
  return Object.keys(KINDS).map((kind) => `taskfold://tasks/${encodeURIComponent(id)}/${kind}`);
}

export function radarUri(id: string): string {
  return `taskfold://tasks/${encodeURIComponent(id)}/radar`;
}

/** The plan of a task, deleted ones included; null for a plan, and for a log that cannot be read. */
export async function planOf(workspace: Workspace, target: string): Promise<string | null> {
  const { result } = await workspace.call("tasks_radar", { workspace: workspace.id ?? "", target });
  if (result) return (result["target"] as { parent: string | null }).parent;
  try {
    const [created] = workspace.log(target, { limit: 1 }).events;
    return created?.type === "task_created" ? (created.parent?.id ?? null) : null;
  } catch (e) {
    if (e instanceof TaskfoldError) return null;
    throw e;
  }
}

/** A root as its URIs name it: with several, the id of a plan or task stands behind that of its workspace. */
export interface Place {
  workspace: Workspace;
  qualified: (id: string) => string;
}

/** Every root that can be used. */
export function placesOf(workspaces: Workspaces): Place[] {
  const rows = workspaces.list();
  return rows.flatMap(({ workspace: id, error }) => {
    if (error !== null) return [];
    if (rows.length === 1) return [{ workspace: workspaces.of(), qualified: (entity: string) => entity }];
    return id === null ? [] : [{ workspace: workspaces.of(id), qualified: (entity: string) => `${id}:${entity}` }];
  });
}

/** The workspace and the id that a URI means: without the id of a workspace it is of the default one. */
export function placed(workspaces: Workspaces, named: string): { workspace: Workspace; id: string } {
  const [, id, entity] = workspaces.list().length === 1 ? [] : (/^([^:]*):(.*)$/s.exec(named) ?? []);
  return entity === undefined
    ? { workspace: workspaces.of(), id: named }
    : { workspace: workspaces.of(id), id: entity };
}

type Page = { resources: Resource[]; nextCursor?: string };

/** The guides, then a page of all plans and tasks, root after root; the cursor is which root, and how many of either came before. */
export async function listResources(workspaces: Workspaces, cursor: string | undefined): Promise<Page> {
  const places = placesOf(workspaces);
  const [at, plans, tasks] = cursorOf(cursor);
  const place = places[at];
  if (!place) return { resources: cursor === undefined ? GUIDE_RESOURCES : [] };
  const { resources: found, nextCursor } = await listOf(place, plans, tasks);
  const resources = cursor === undefined ? [...GUIDE_RESOURCES, ...found] : found;
  const next = nextCursor ?? (at + 1 < places.length ? "0.0" : undefined);
  if (next === undefined) return { resources };
  return { resources, nextCursor: `${nextCursor === undefined ? at + 1 : at}.${next}` };
}

async function listOf({ workspace, qualified }: Place, plans: number, tasks: number): Promise<Page> {
  const { id } = workspace;
  if (id === undefined) return { resources: [] };
  const input = { workspace: id, plans_limit: PAGE, plans_cursor: plans, tasks_limit: PAGE, tasks_cursor: tasks };
  const { result, error } = await workspace.call("tasks_context", input);
  if (error) throw new TaskfoldError(error.code, error.message);
  const { plans: planRows, tasks: taskRows, plans_pagination, tasks_pagination } = result;
  const resources = [...planRows, ...taskRows].flatMap((row) => resourcesOf(qualified(row.id), row.title));
  const pages = [plans_pagination, tasks_pagination].filter((page) => page !== undefined);
  if (pages.every((page) => page.next_cursor === null)) return { resources };
  // A part that is through is asked for beyond its end.
  return { resources, nextCursor: pages.map((page) => page.next_cursor ?? page.total).join(".") };
}

function resourcesOf(id: string, title: string): Resource[] {
  return Object.entries(KINDS).map(([kind, { mimeType, about }], i) => ({
    uri: urisOf(id)[i]!,
    name: `${id} ${kind}`,
    title: `${title}: ${kind}`,
    description: about,
    mimeType,
  }));
}

/** `root.plans.tasks`. INVALID_INPUT for what was never a cursor. */
function cursorOf(cursor: string | undefined): [number, number, number] {
  if (cursor === undefined) return [0, 0, 0];
  const [, root, plans, tasks] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(cursor) ?? [];
  if (root === undefined || plans === undefined || tasks === undefined)
    throw new TaskfoldError("INVALID_INPUT", `Expected a cursor of resources/list, found ${quoted(cursor)}.`);
  return [Number(root), Number(plans), Number(tasks)];
}

/** UNKNOWN_ID for a URI that names nothing. */
export async function readResource(workspaces: Workspaces, uri: string, by: string): Promise<TextResourceContents> {
  const guide = guideIn(uri);
  if (guide !== undefined)
    return { uri, mimeType: "text/markdown", text: guideOf(guide, placesOf(workspaces)[0]?.workspace) };
  const { id: named, kind } = parse(uri);
  const { workspace, id } = placed(workspaces, named);
  return { uri, mimeType: KINDS[kind].mimeType, ...(await contentOf(workspace, { id, kind, by })) };
}

interface ResourceRequest {
  id: string;
  kind: Kind;
  by: string;
}

async function contentOf(
  workspace: Workspace,
  { id, kind, by }: ResourceRequest,
): Promise<Pick<TextResourceContents, "text" | "_meta">> {
  switch (kind) {
    case "radar":
      return { text: await radarOf(workspace, id, by) };
    case "taskdoc":
    case "taskdoc.zh": {
      const effective = workspace.taskdoc.render(id, { language: kind === "taskdoc" ? "en" : "zh" });
      return { text: effective.text, _meta: { [META]: besideOf(effective) } };
    }
    default:
      return { text: fileOf(workspace, id, kind) };
  }
}

/**
 * Returns facts beside an effective Taskdoc, for a client that puts it before agents. They tell of which state it is,
 * whether all of it is there, and its faults.
 */
export function besideOf({
  id,
  revision,
  head,
  bytes,
  truncated,
  violations,
  sections,
  warnings,
}: EffectiveTaskdocOf): JsonObject {
  const beside = {
    id,
    revision,
    head,
    bytes,
    truncated,
    violations: violations.map((violation) => ({ ...violation })),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((warning) => ({ ...warning })) }),
  };
  // No tool reads a section at the top, so a client that joins two texts of it finds both here.
  const conflicts = sections.flatMap(({ path, conflict }) => (conflict ? [{ path, texts: conflict }] : []));
  return conflicts.length === 0 ? beside : { ...beside, conflicts };
}

function parse(uri: string): { id: string; kind: Kind } {
  const [, id = "", kind = ""] = URI.exec(uri) ?? [];
  if (!Object.hasOwn(KINDS, kind)) throw unknown(uri);
  try {
    return { id: decodeURIComponent(id), kind: kind as Kind };
  } catch (e) {
    if (e instanceof URIError) throw unknown(uri);
    throw e;
  }
}

async function radarOf(workspace: Workspace, target: string, by: string): Promise<string> {
  const { result, error } = await workspace.call("tasks_radar", { workspace: workspace.id ?? "", target }, { by });
  if (error) throw new TaskfoldError(error.code, error.message);
  return JSON.stringify(result, null, 2);
}

function fileOf(workspace: Workspace, id: string, name: string): string {
  const text = workspace.files(id).get(name);
  if (text === undefined) throw new TaskfoldError("INTERNAL", `Expected ${name} to be folded from every log.`);
  return text;
}

function unknown(uri: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected ${[...TEMPLATES.map((t) => t.uriTemplate), ...GUIDE_RESOURCES.map((one) => one.uri)].join(", ")}; found ${quoted(uri)}.`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
