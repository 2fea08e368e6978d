/** `taskfold call`, and the commands that are one call. */
import type { Reply } from "../../engine/entity/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { TOOLS } from "../../tools/index.ts";
import type { EntityOptions } from "./entity_input.ts";
import { entityInput } from "./entity_input.ts";
import type { CliResult } from "./cli_result.ts";
import { outcomeOf } from "./text/reply_text.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

const STDIN_BYTES = 8 * 1024 * 1024;

/** Any tool, with its input as JSON. */
export async function call(session: Session, tool: string, json: string): Promise<CliResult> {
  session.calls = true;
  const input = parse(tool, json === "-" ? await fromStdin(session) : json);
  return session.within(
    async (workspace) => outcomeOf(session, workspace, await callTool(session, workspace, tool, input)),
    { anywhere: !reads(tool) },
  );
}

/** A write may name the workspace that it makes, and another name is UNKNOWN_TOOL. */
function reads(tool: string): boolean {
  const effect = TOOLS[tool]?.effect;
  return effect === "read" || effect === "focus";
}

/** A tool about one entity; without an id it goes by the focus, or means the workspace where the tool does. */
export function onEntity(
  session: Session,
  tool: string,
  id: string | undefined,
  options: EntityOptions,
): Promise<CliResult> {
  return session.within(async (workspace) =>
    outcomeOf(session, workspace, await callTool(session, workspace, tool, entityInput(id, options))),
  );
}

/** Calls with the workspace id filled in. A root that is bound to none takes writes only when the call names one. */
export async function callTool(session: Session, workspace: Workspace, tool: string, input: unknown): Promise<Reply> {
  const reply = await called(session, workspace, tool, input);
  // The focus is in no log.
  if (reply.success && TOOLS[tool]?.effect === "focus") session.changed();
  return reply;
}

async function called(session: Session, workspace: Workspace, tool: string, input: unknown): Promise<Reply> {
  if (!isObject(input) || Object.hasOwn(input, "workspace")) return workspace.callTool(tool, input as JsonObject);
  const effect = TOOLS[tool]?.effect;
  if (workspace.id === undefined && (effect === "write" || effect === "create" || effect === "txn")) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a workspace id to write under; this folder is bound to none and the call names none.",
      remedy`Run ${TASKFOLD} init once, or put workspace into the JSON.`,
    );
  }
  return workspace.callTool(tool, { workspace: await session.workspaceId(workspace), ...(input as JsonObject) });
}

async function fromStdin(session: Session): Promise<string> {
  const bytes = await session.io.stdin(STDIN_BYTES);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (e) {
    throw new TaskfoldError("INVALID_INPUT", "Expected UTF-8 on stdin, found other bytes.", { cause: e });
  }
}

function parse(tool: string, json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (e) {
    const why = e instanceof SyntaxError ? e.message : "not JSON";
    throw new TaskfoldError("INVALID_INPUT", `Expected the input of ${tool} as one JSON object: ${why}.`, {
      cause: e,
      ...remedy`${TASKFOLD} tools ${tool} shows an input; a shell wants it in single quotes, or on stdin with -.`,
    });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
