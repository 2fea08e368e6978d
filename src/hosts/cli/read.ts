/** Commands that only look: they load the tool that they call, and of the engine what reads. */
import { Reader } from "../../engine/reader.ts";
import type { Reply } from "../../engine/entity/reply.ts";
import type { JsonObject } from "../../index.ts";
import type { ReadContext, ReadTool } from "../../tools/read_tool.ts";
import type { Answer } from "../../tools/reply_context.ts";
import type { EntityOptions } from "./entity_input.ts";
import { entityInput } from "./entity_input.ts";
import type { CliResult } from "./cli_result.ts";
import { timeAndAge } from "./text/times.ts";
import { outcomeOf } from "./text/reply_text.ts";
import { gitIfSparse, gitOf } from "./session.ts";
import type { Session } from "./session.ts";

/** A call with the workspace id filled in. */
export type Call = (tool: ReadTool, input: JsonObject) => Promise<Reply>;

/** The same tool without its looks at git and at files beside the logs. */
export function ofLogs(tool: ReadTool): ReadTool {
  return { ...tool, reads: [] };
}

/** Opens the workspace for one piece of reading and closes it after. NO_WORKSPACE outside of one. `tool`: the one that asks git, if it does. */
export async function reading<T>(
  session: Session,
  work: (call: Call, workspace: Reader) => Promise<T>,
  tool?: ReadTool,
): Promise<T> {
  const root = session.workspaceRoot();
  // A reader knows no shared log.
  if (session.isShared && !(await session.within((workspace) => workspace.shared.catchUp())))
    session.io.stderr("The shared log cannot be reached; this is what this machine has.\n");
  const telemetry = await session.telemetry();
  const reader = new Reader({
    root,
    by: await session.by(),
    ...(telemetry ? { telemetry: telemetry.port } : {}),
    ...(await (tool?.reads === undefined ? gitIfSparse(root) : gitOf(root))),
  });
  try {
    const workspace = await session.workspaceId(reader);
    return await work((tool, input) => reader.call(tool, { workspace, ...input }), reader);
  } finally {
    reader.close();
  }
}

/** A tool about one entity, or about the workspace. */
export function read(
  session: Session,
  tool: ReadTool,
  id: string | undefined,
  options: EntityOptions,
): Promise<CliResult> {
  const zonedTool = inZone(tool, session);
  return reading(
    session,
    async (call, workspace) => outcomeOf(session, workspace, await call(zonedTool, entityInput(id, options))),
    zonedTool,
  );
}

/** The same tool; for a person at a terminal, times that the engine names in a sentence are those of the machine's zone (CLI-271). */
export function inZone(tool: ReadTool, { json, columns: wide }: Session): ReadTool {
  if (json || wide === undefined) return tool;
  const here = { timeText: (time: string) => timeAndAge(time, wide) };
  const reply = tool.reply as (input: never, ctx: ReadContext) => Answer;
  return { ...tool, reply: (input: never, ctx: ReadContext) => reply(input, Object.assign(ctx, here)) } as ReadTool;
}
