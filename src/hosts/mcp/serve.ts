/**
 * The MCP server: one client on stdin and stdout, one workspace or several. It translates and nothing else: arguments go to the one
 * door as they come, and the reply of the door goes back as it is. Both the handshake of 2025 and the stateless requests of
 * 2026-07-28 are the SDK's business.
 */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from "@modelcontextprotocol/server";
import type { CallToolResult, JSONRPCRequest, Result, ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Reply } from "../../engine/entity/reply.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { TOOLS } from "../../index.ts";
import { BoundedLines, idOf, LINE_LIMITS } from "./bounded_lines.ts";
import { argumentsTaken, isLeftOut } from "./arguments.ts";
import { agentOf } from "./identity.ts";
import { refusalOf } from "./jsonrpc.ts";
import type { Listed } from "./listed_tool.ts";
import { defaultOf, MAY_LEAVE_OUT, COMMON_INPUTS, serverTools, takesDefaultWorkspace } from "./listed_tool.ts";
import { Notifier } from "./notifier.ts";
import { otherFault } from "./params.ts";
import { getPrompt, PROMPTS } from "./prompts.ts";
import { listResources, readResource, TEMPLATES } from "./resources.ts";
import { Wire } from "./wire.ts";

export interface McpOptions extends Listed {
  /** The name that `init` would give this root, while it is bound to nothing. */
  proposedWorkspace?: string;
  /** The actor; else `agent:` and the client's name. */
  by?: string;
  /** Answers under the trace that the `_meta` of the request names. */
  under?: <T>(meta: Record<string, unknown> | undefined, answer: () => T) => T;
  /** As `watch` of a workspace has it. */
  polling?: boolean;
  version: string;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Takes messages for people; never those of the protocol. */
  log: (message: string) => void;
}

/** Serves until the client goes away or `stop` is called; then lets calls under way come to their end. */
export function serveMcp(options: McpOptions): { ended: Promise<void>; stop: () => void } {
  const { workspaces, input, output, log } = options;
  let server: Server | undefined;
  const failed = (e: unknown): void => log(e instanceof Error ? e.message : String(e));
  const notifier = new Notifier(workspaces, () => server, failed, options.polling ?? false);
  // Each answer that waits for a slow reader listens for it: as many as there are calls, and no leak.
  output.setMaxListeners(0);
  const lines = new BoundedLines((head, tail) => refuseLine(output, idOf(head, tail)));
  input.on("error", (e) => {
    failed(e);
    lines.end();
  });
  input.pipe(lines);
  const wire = new Wire(lines, output as never);
  wire.heard = (method) => {
    if (method === "subscriptions/listen") notifier.begin();
  };
  const ended = new Promise<void>((done) => {
    wire.closed = () => {
      input.unpipe(lines);
      done();
    };
  });
  const handle = serveStdio(
    ({ era }) => {
      server = makeServer(options, notifier);
      if (era === "legacy") notifier.onlyWanted();
      return server;
    },
    { transport: wire, onerror: failed },
  );
  return { ended, stop: () => void handle.close().catch(failed) };
}

/** The SDK throws the raw text of its schema library for params that it refuses; all that our handlers throw is a ProtocolError. */
class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, ctx) => {
      try {
        return await wrapped(request, ctx);
      } catch (e) {
        throw e instanceof ProtocolError ? e : new ProtocolError(ProtocolErrorCode.InvalidParams, otherFault(method));
      }
    };
  }
}

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

function makeServer(options: McpOptions, notifier: Notifier): Server {
  const { workspaces, version } = options;
  const server = new CheckedServer(
    { name: "taskfold", title: "Taskfold", version },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true, listChanged: true } },
      instructions: instructions(options),
    },
  );
  const byOf = (client: { name: string } | undefined): string =>
    options.by ?? agentOf(client?.name ?? server.getClientVersion()?.name);
  const { under = (_meta, answer) => answer() }: Pick<McpOptions, "under"> = options;
  server.setRequestHandler("tools/list", () => ({ tools: serverTools(options) }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { name } = params;
    const by = byOf(clientOf(ctx.mcpReq.envelope));
    const { workspace: named, ...others } = argumentsTaken(name, params.arguments ?? {});
    // Without a name the call goes to the default root, which says why if it cannot be read.
    const meant = takesDefaultWorkspace(name) && isLeftOut(named) ? defaultOf(options) : named;
    const input = { ...(meant === undefined ? {} : { workspace: meant }), ...others };
    const call = () => workspaces.callTool(name, input as JsonObject, { by, workspaceRequired: true });
    return answered(async () => callResult(await under(ctx.mcpReq._meta, call)));
  });
  server.setRequestHandler("resources/list", ({ params }, ctx) => {
    notifier.begin();
    return under(ctx.mcpReq._meta, () => answered(() => listResources(workspaces, params?.cursor)));
  });
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", ({ params: { uri } }, ctx) =>
    under(ctx.mcpReq._meta, () =>
      answered(
        async () => ({ contents: [await readResource(workspaces, uri, byOf(clientOf(ctx.mcpReq.envelope)))] }),
        uri,
      ),
    ),
  );
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    notifier.subscribe(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    notifier.unsubscribe(uri);
    return {};
  });
  server.setRequestHandler("prompts/list", () => ({ prompts: PROMPTS }));
  server.setRequestHandler("prompts/get", ({ params }, ctx) =>
    under(ctx.mcpReq._meta, () =>
      answered(() => getPrompt(workspaces, params.name, params.arguments ?? {}, byOf(clientOf(ctx.mcpReq.envelope)))),
    ),
  );
  return server;
}

/** Returns the client's name, which it gives with each request since 2026; before, it gave it once. */
function clientOf(envelope: object | undefined): { name: string } | undefined {
  const client = (envelope as Record<string, unknown> | undefined)?.["io.modelcontextprotocol/clientInfo"];
  const name = (client as { name?: unknown } | undefined)?.name;
  return typeof name === "string" ? { name } : undefined;
}

/** The reply as a value, and as text for clients that show nothing else. */
function callResult(reply: Reply): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(reply) }],
    structuredContent: reply as unknown as Record<string, unknown>,
    ...(reply.success ? {} : { isError: true }),
  };
}

/** Refusals as errors of the protocol, whose text is ours: what else is thrown may name paths of the machine. */
async function answered<T>(answer: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await answer();
  } catch (e) {
    if (!isTaskfoldError(e)) throw new ProtocolError(ProtocolErrorCode.InternalError, "INTERNAL: the server failed.");
    const message = `${e.code}: ${e.message}`;
    if (e.code === "UNKNOWN_ID" && uri !== undefined) throw new ResourceNotFoundError(uri, message);
    const isUsage = ["INVALID_INPUT", "UNKNOWN_ID", "TARGET_REQUIRED"].includes(e.code);
    const code = isUsage ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, message, { code: e.code, ...(e.recovery ? { recovery: e.recovery } : {}) });
  }
}

/** JSON-RPC 2.0 answers with no id where the id could not be seen. */
function refuseLine(output: NodeJS.WritableStream, id: string | number | undefined): void {
  const { bytes, values, members } = LINE_LIMITS;
  const message = `CONTENT_TOO_LARGE: Expected a line of at most ${bytes} bytes, ${values} values and ${members} members of one object, found more; nothing was done.`;
  output.write(`${JSON.stringify(refusalOf(id ?? null, ProtocolErrorCode.InvalidRequest, message))}\n`);
}

const quoted = (text: string): string => JSON.stringify(text);

/** Which workspace the calls of this client have to name. */
function workspaceWords(options: McpOptions): string {
  const { workspaces, configured, proposedWorkspace } = options;
  if (workspaces.list().length > 1) return severalWords(options);
  const { id: bound } = workspaces.of();
  if (configured !== undefined && bound !== undefined && bound !== configured)
    return `This server is configured for workspace ${quoted(configured)}, but this folder is bound to ${quoted(bound)}: every call is refused until a person corrects that.`;
  const id = configured ?? bound;
  if (id !== undefined)
    return `The workspace of this folder is ${quoted(id)}; every call names it, and no other is accepted. ${MAY_LEAVE_OUT}.`;
  const proposal =
    proposedWorkspace === undefined ? "" : ` Name it ${quoted(proposedWorkspace)} unless you are told otherwise.`;
  return `This folder is bound to no workspace yet; the first change binds it for good to the workspace that it names.${proposal}`;
}

function severalWords(options: McpOptions): string {
  const rows = options.workspaces.list();
  const served = rows.flatMap(({ workspace, root }) => (workspace === null ? [] : [`${quoted(workspace)} (${root})`]));
  const broken = rows.flatMap(({ root, error }) => (error ? [` ${root} cannot be used: ${error.message}`] : []));
  const stands = defaultOf(options);
  const meaning = stands === undefined ? "the first root" : quoted(stands);
  return `This server has ${rows.length} workspaces: ${served.join(", ")}. Every call names the one that it is about. ${MAY_LEAVE_OUT} and mean ${meaning}.${broken.join("")}`;
}

function instructions(options: McpOptions): string {
  const { toolset } = options;
  const named = Object.keys(TOOLS).length;
  const parts = [
    "Plans and tasks kept in this repository: each a folder with one log. A step closes only when what it asks for was confirmed and, where it asks for proof, proven.",
    workspaceWords(options),
    "Every refusal says what was expected and found, and suggestions hold calls that would work.",
    `In any tool: ${Object.entries(COMMON_INPUTS)
      .map(([name, what]) => `${name}: ${what}`)
      .join("; ")}.`,
    ...(toolset === "full" ? [] : [`Not listed, but there to be called: the other tools, ${named} in all.`]),
  ];
  return parts.join(" ");
}
