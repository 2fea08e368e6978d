/** Every reply that a test gets is held to the schema of its tool's answers, so that the two cannot drift apart (TOOL-25). */
import type { ValidateFunction } from "ajv/dist/2020.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { replyOf } from "../../src/tools/output.ts";

/** For all schemas of tools and events. What a test checks is small: making the code of a check small takes longer than it saves. */
export const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, code: { optimize: false } });
const checks = new Map<string, ValidateFunction>();

/** Throws when the reply says something that its schema does not, or leaves out what has to be there. */
export function fitsOutput(reply: Reply): void {
  const tool = TOOLS[reply.intent];
  if (!tool) return;
  let check = checks.get(tool.name);
  if (!check) checks.set(tool.name, (check = ajv.compile(replyOf(tool.output))));
  // As a caller gets it: members that are undefined are not there.
  if (check(JSON.parse(JSON.stringify(reply)))) return;
  const faults = ajv.errorsText(check.errors, { dataVar: "reply" });
  const added = (check.errors ?? []).map((e) => JSON.stringify(e.params)).join(" ");
  throw new Error(
    `${tool.name} answers what its output schema does not say: ${faults} ${added}\n${JSON.stringify(reply)}`,
  );
}

/** The workspace, each of whose replies is looked at. */
export function watched(ws: Workspace): Workspace {
  const callTool = ws.callTool.bind(ws);
  ws.callTool = async (...given) => {
    const reply = await callTool(...given);
    fitsOutput(reply);
    return reply;
  };
  return ws;
}
