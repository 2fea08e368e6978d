/** Every reply that a test gets is held to the schema of its tool's answers, so that the two cannot drift apart (TOOL-25). */
import type { ValidateFunction } from "ajv/dist/2020.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { replyOf, wholeOutput } from "../../src/tools/output.ts";

/** For all schemas of tools and events. What a test checks is small: making the code of a check small takes longer than it saves. */
export const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, code: { optimize: false } });
const checks = new Map<string, ValidateFunction>();

/**
 * Throws when the reply says something that its schema does not, or leaves out what has to be there. `isWhole`: the call gave no budget, so
 * that members are there which a budget takes out (TOOL-80).
 */
export function fitsOutput(reply: Reply, isWhole = false): void {
  const tool = TOOLS[reply.intent];
  if (!tool) return;
  const whole = isWhole ? wholeOutput(tool.output) : undefined;
  const name = whole ? `${tool.name} whole` : tool.name;
  let check = checks.get(name);
  if (!check) checks.set(name, (check = ajv.compile(replyOf(whole ?? tool.output))));
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
    // A call from outside may give anything in the place of an input.
    fitsOutput(reply, (given[1] as JsonObject | null | undefined)?.["max_chars"] === undefined);
    return reply;
  };
  return ws;
}
