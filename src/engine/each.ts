/**
 * Calls that one call only makes, one after the other, each for itself; the tool says whether it goes on after a refusal. Files are folded
 * once after many changes: a rendering costs as much as the whole entity, and not as much as the change.
 */
import type { Warning } from "../errors.ts";
import { isArchivedOrDeleted } from "../state/archive.ts";
import type { JsonObject } from "../state/json.ts";
import { TOOLS } from "../tools/index.ts";
import type { BatchTool, CallReply } from "../tools/batch_tool.ts";
import type { ToolCall } from "../tools/calls.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";
import type { Caller, CheckedCall, CallResult } from "./entity/job.ts";
import { callResult } from "./entity/reply.ts";
import type { Reply } from "./entity/reply.ts";

export interface Door {
  call: (name: string, input: unknown, caller: Caller) => Promise<Reply>;
  /** Writes the files of an entity. */
  project: (loaded: LoadedEntity, workspace: string) => Promise<Warning[]>;
}

export async function callEach(
  door: Door,
  { input, workspace, caller }: CheckedCall,
  each: NonNullable<BatchTool["each"]>,
  calls: readonly ToolCall[],
): Promise<CallResult> {
  const replies: CallReply[] = [];
  const warnings: Warning[] = [];
  const held = new Set<LoadedEntity>();
  const project = async (): Promise<void> => {
    // One that was deleted since has its files, and they are in the archive.
    for (const loaded of held)
      if (!loaded.entity || !isArchivedOrDeleted(loaded.entity))
        warnings.push(...(await door.project(loaded, workspace)));
    held.clear();
  };
  for (const [index, { tool: name, args }] of calls.entries()) {
    const asked = { workspace, ...keyed(input, name, index), ...args } as JsonObject & { workspace: unknown };
    const isElsewhere = typeof asked.workspace === "string" && asked.workspace !== workspace;
    const isHeld = leavesFiles(name);
    if (!isHeld) await project();
    const by = isHeld ? { ...caller, held } : caller;
    const reply = await (isElsewhere && caller.elsewhere ? caller.elsewhere(name, asked) : door.call(name, asked, by));
    replies.push(reply as unknown as CallReply);
    if (!each.goesOn(input as never, replies.at(-1)!)) break;
  }
  await project();
  const { error, ...answer } = each.reply(input as never, replies);
  return { ...callResult(answer, warnings), ...(error === undefined ? {} : { error }) };
}

/** Whether a call changes one entity and looks at none of the files in its folder. */
function leavesFiles(name: string): boolean {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  return tool?.effect === "write" && !tool.facts;
}

/** The key of all, with the place: so that the whole may be called again. A key of its own goes before. */
function keyed({ idempotency_key: key }: Record<string, unknown>, name: string, index: number) {
  const effect = Object.hasOwn(TOOLS, name) ? TOOLS[name]!.effect : undefined;
  const changes = effect === "write" || effect === "create" || effect === "txn";
  return typeof key === "string" && changes ? { idempotency_key: `${key}#${index}` } : {};
}
