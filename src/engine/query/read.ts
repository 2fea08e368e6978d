/** Steps 3 and 7 of a read: catch up, answer. Takes no lock and changes no entity; some move the focus when asked to. */
import { asShown, withPlanStatus } from "../../state/plan_status.ts";
import { callResult } from "../entity/reply.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { Caller, CheckedCall, CallResult } from "../entity/job.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import type { Subject } from "../../state/entity.ts";
import type { DeltaPage, DeltaQuery } from "../../views/delta.ts";
import type { Listed } from "../../state/listed.ts";
import type { PastSource } from "../../views/history.ts";
import { Delta } from "./delta.ts";
import type { Entities } from "../entities/entities.ts";
import { writeFocus } from "../entities/focus.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Listing } from "../listing/listing.ts";
import { packetHolder } from "../entity/packet_holder.ts";
import { pastOf } from "../entity/past.ts";
import type { HumanFiles } from "../entity/human_files.ts";
import { stateAtInput } from "../entity/state_at.ts";
import type { Store } from "../entity/store.ts";
import type { TargetInput } from "../entities/target.ts";
import { wantedTarget } from "../entities/target.ts";
import { violationsOf } from "./taskdoc.ts";
import { isoTime } from "../core/context.ts";
import type { EngineContext } from "../core/context.ts";
import { lookAtFiles } from "../core/evidence_files.ts";
import type { GitPort } from "../core/git_port.ts";
import { unmigratedTaskdoc } from "../projection/unmigrated_taskdoc.ts";
import type { NamedFile } from "../core/remote_bytes.ts";
import { remoteWarning } from "../core/remote_warning.ts";
import type { BesideLog, EntityReadTool, ReadTool, WorkspaceReadContext } from "../../tools/read_tool.ts";
import type { StalenessOf } from "../../state/staleness.ts";
import type { Answer } from "../../tools/reply_context.ts";
import { TreeLook } from "../core/tree_look.ts";
import type { Look } from "../../views/evidence_check.ts";

type WorkspaceReply = (input: never, ctx: WorkspaceReadContext) => Answer;

/** Names the folded files of an entity that were changed by hand. A command that does not ask loads no projection. */
export type ChangedByHand = (context: EngineContext, loaded: LoadedEntity, workspace: string) => string[];

/** The answer of a tool that only reads. `changedByHand`: for tools that read folded files. */
export function readAnswer(
  from: ReadModel,
  people: HumanFiles,
  call: CheckedCall<ReadTool>,
  changedByHand?: ChangedByHand,
): CallResult {
  const { tool } = call;
  const about = (reply: WorkspaceReply): CallResult => readWorkspace(from, people, call, { reply, changedByHand });
  if (tool.target === "workspace") return about(tool.reply);
  if (tool.ofWorkspace && namesNone(from, call)) return about(tool.ofWorkspace);
  return readEntity(from, people, call, tool);
}

function namesNone({ entities }: ReadModel, { input, workspace, caller }: CheckedCall<ReadTool>): boolean {
  return !wantedTarget(input as TargetInput) && entities.ownFocus(workspace, caller.by) === null;
}

function readWorkspace(
  from: ReadModel,
  people: HumanFiles,
  { tool, input, workspace, caller }: CheckedCall<ReadTool>,
  { reply, changedByHand }: { reply: WorkspaceReply; changedByHand: ChangedByHand | undefined },
): CallResult {
  const { context, store, entities, listing: list } = from;
  const warnings: Warning[] = [];
  const looked: (number | undefined)[] = [];
  const rows = rowsOf(list, workspace, warnings, looked);
  const reader = new Delta(context, { store, listing: list }, workspace);
  const delta = (query: DeltaQuery): DeltaPage => {
    const page = reader.page(query, wantedTarget(input as TargetInput));
    looked.push(...reader.looked);
    return page;
  };
  const pastIn: WorkspaceReadContext["pastOf"] = (part, id) => openPast(store, workspace, part, id);
  const pasts = (): PastSource[] => pastsOf(store, rows(), pastIn);
  const storageDir = context.layout.coco;
  const tasksOfPlan = ofPlan(from, workspace, warnings);
  const asOf = (): string | undefined => oldest(looked);
  const archive = {
    names: () => list.archivedNames(),
    read: (ids: readonly string[]) => {
      addOnce(warnings, store.leftOutWarnings("archive"));
      return list.archivedRows(ids, workspace);
    },
  };
  const known = {
    archive,
    rows,
    asOf,
    tasksOfPlan,
    delta,
    pasts,
    pastOf: pastIn,
    storageDir,
    changedByHand: (id: string) => filesOf(store, id, (loaded) => changedByHand?.(context, loaded, workspace) ?? []),
    unreadOf: (id: string) => filesOf(store, id, (loaded) => people.unread(loaded)),
    staleness: stalenessIn(context, tool, (id) => store.find(id)?.folder),
  };
  const answer = reply(input as never, Object.assign(contextOf(context, entities, workspace, caller), known));
  reader.keep(answer.result["cursor"]);
  return callResult(answer, warnings);
}

function readEntity(
  from: ReadModel,
  people: HumanFiles,
  call: CheckedCall<ReadTool>,
  tool: EntityReadTool,
): CallResult {
  const { input, workspace, caller } = call;
  const { context, entities } = from;
  const wanted = entities.wanted(call);
  const found = entities.find(workspace, wanted);
  const { loaded, foreign, subject: present } = found;
  const warnings = [...found.warnings];
  const at = input["at"] as number | string | undefined;
  const rows = rowsOf(from.listing, workspace, warnings);
  const subject = at === undefined ? asShown(present, rows) : stateAtInput(loaded, workspace, at);
  const viewContext = contextOf(context, entities, workspace, caller);
  const restores = tool.restoresFocus === true && input["read_only"] === false && wanted.from === "input";
  const missing: NamedFile[] = [];
  const moves = restores && entities.ownFocus(workspace, caller.by) !== loaded.id && !present.entity.archived;
  const besideLog = (): BesideLog => ({
    look: lookAt(context, loaded, tool, missing),
    staleness: stalenessIn(context, tool, () => loaded.folder),
    unread: () => [...people.unread(loaded), ...unmigrated(context, loaded)],
    dispatcher: () => packetHolder(context, loaded.id),
    violations: () => violationsOf(context.disk, loaded.folder, subject.entity.taskdoc),
  });
  // Spreads come last: in Node 20 new keys after one cost a microsecond.
  const known = {
    subject,
    tasksOfPlan: ofPlan(from, workspace, warnings),
    rows,
    past: pastOf(loaded, subject.entity),
    gitBase: () => from.bases.of(subject),
    restored: moves ? { from: viewContext.focus } : undefined,
    beside: at === undefined && !foreign ? besideLog() : undefined,
    ...(moves ? { focus: loaded.id } : {}),
    ...(wanted.from === "input" ? {} : { target_from: wanted.from }),
  };
  const answer = tool.reply(input as never, Object.assign(viewContext, known));
  if (moves) writeFocus(context, workspace, caller.by, { id: loaded.id, root: present.entity.root });
  if (missing.length > 0) warnings.push(remoteWarning(loaded.id, missing.length));
  const result = callResult(answer, warnings);
  const outcome = missing.length > 0 ? { ...result, missing: { id: loaded.id, files: missing } } : result;
  // Nothing that writes would work on a folder without a log of ours.
  return foreign ? { ...outcome, suggestions: [] } : outcome;
}

/** Tasks of a plan, and that some of them may be left out. */
function ofPlan({ entities, store }: ReadModel, workspace: string, warnings: Warning[]) {
  const { tasksOfPlan } = entities.around(workspace);
  return (root: string): Subject[] => {
    addOnce(warnings, store.leftOutWarnings("tasks"));
    return tasksOfPlan(root);
  };
}

function addOnce(warnings: Warning[], more: readonly Warning[]): void {
  for (const one of more)
    if (!warnings.some(({ code, message }) => code === one.code && message === one.message)) warnings.push(one);
}

/** A call asks for it once or twice at most; fields that are left out are told only where the call asked for them. */
function rowsOf(
  list: Listing,
  workspace: string,
  warnings: Warning[],
  looked: (number | undefined)[] = [],
): () => readonly Listed[] {
  return () => {
    const all = list.rows(workspace);
    looked.push(all.as_of);
    addOnce(warnings, all.warnings);
    return withPlanStatus(all.rows);
  };
}

/** A read of that entity itself tells why its log cannot be read. */
function filesOf(store: Store, id: string, look: (loaded: LoadedEntity) => string[]): string[] {
  try {
    const loaded = store.find(id);
    return loaded?.catchUp() && loaded.entity ? look(loaded) : [];
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return [];
  }
}

/** Undefined where every log was looked at for this answer. */
function oldest(looked: readonly (number | undefined)[]): string | undefined {
  const times = looked.filter((one) => one !== undefined);
  return times.length === 0 ? undefined : isoTime(Math.min(...times));
}

/** Archived ones are opened at once: no list says when they were changed last. */
function pastsOf(store: Store, rows: readonly Listed[], pastIn: WorkspaceReadContext["pastOf"]): PastSource[] {
  const live = rows.map(({ id, updated_at }) => ({ id, updated_at, open: () => pastIn("tasks", id) }));
  const archived = store.archivedNames().map((id) => ({ id, updated_at: LAST, open: () => pastIn("archive", id) }));
  return [...live, ...archived];
}

function openPast(
  store: Store,
  workspace: string,
  part: "tasks" | "archive",
  id: string,
): ReturnType<PastSource["open"]> {
  const loaded = part === "tasks" ? store.find(id) : store.findArchived(id);
  if (!loaded?.catchUp() || !loaded.entity) return undefined;
  return { entity: loaded.entity, past: pastOf(loaded, loaded.subject(workspace).entity) };
}

/** After every time. */
const LAST = "~";

function unmigrated({ disk }: EngineContext, { folder, entity }: LoadedEntity): string[] {
  return unmigratedTaskdoc(disk, folder, entity!.taskdoc).map(({ path }) => path);
}

function contextOf(context: EngineContext, entities: Entities, workspace: string, caller: Caller) {
  const { idOf, isLeftOut } = entities;
  const { find } = entities.around(workspace);
  const { target: focus = null, from: focus_from } = entities.focus(workspace, caller.by) ?? {};
  const now = isoTime(context.now());
  return { workspace, now, by: caller.by, idOf, find, isLeftOut, focus, focus_from };
}

/**
 * Looks at the targets of evidence as they are now: files of the task folder and of the repository, commits. Follows no
 * link.
 */
function lookAt(context: EngineContext, { folder }: LoadedEntity, { reads }: ReadTool, missing: NamedFile[]): Look {
  const look = lookAtFiles(context, folder);
  return {
    ...look,
    file: (path, most, sha256) => {
      const found = look.file(path, most, sha256);
      if (found.state === "remote" && sha256 !== undefined) missing.push({ path, sha256 });
      return found;
    },
    commit: reads?.includes("git_commits") ? commitsIn(context.git) : () => null,
  };
}

/** For a tool that compares runs with the work tree; a task without a folder has no run. */
function stalenessIn(
  context: EngineContext,
  { reads }: ReadTool,
  folderOf: (id: string) => string | undefined,
): StalenessOf | undefined {
  if (!reads?.includes("git_tree")) return undefined;
  const tree = new TreeLook(context);
  return (id, seen, scope) => {
    const folder = folderOf(id);
    return folder === undefined ? { is: "fresh" } : tree.since(folder, seen, scope);
  };
}

/** Git is started at the first commit, and asked of each once. */
function commitsIn(git: EngineContext["git"]): Look["commit"] {
  let port: GitPort | null | undefined;
  const known = new Map<string, boolean | null>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    port ??= git?.() ?? null;
    const there = port?.hasCommit(id) ?? null;
    known.set(id, there);
    return there;
  };
}
