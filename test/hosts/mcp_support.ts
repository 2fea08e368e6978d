/** The built server in a process of its own, and two ways to speak to it: the official client, and bare lines. */
import { Client } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { fitsOutput } from "../support/outputs.ts";
import { PROGRAM } from "./cli_support.ts";

/** How a client opens: the handshake of 2025, whichever both know, the revision of 2026 and no other. */
export const ERAS: Record<string, NonNullable<ClientOptions["versionNegotiation"]> | undefined> = {
  "2025": undefined,
  either: { mode: "auto" },
  "2026": { mode: { pin: "2026-07-28" } },
};

interface Setting {
  args?: string[];
  env?: Record<string, string>;
  era?: keyof typeof ERAS;
  name?: string;
}

export async function connect(
  root: string,
  { args = [], env = {}, era, name = "a test" }: Setting = {},
): Promise<Client> {
  const versionNegotiation = era === undefined ? undefined : ERAS[era];
  const client = new Client({ name, version: "1" }, versionNegotiation ? { versionNegotiation } : {});
  const path = process.env["PATH"] ?? "";
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", "--root", root, ...args],
      env: { PATH: path, ...env },
      stderr: "ignore",
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** The reply of a tool; fails unless the text says the same. */
export async function callTool(client: Client, name: string, input: Record<string, unknown>): Promise<Reply> {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: input });
  const reply = structuredContent as unknown as Reply;
  const [text] = content;
  if (text?.type !== "text" || text.text !== JSON.stringify(reply)) throw new Error("the text is not the reply");
  fitsOutput(reply);
  if (isError === reply.success) throw new Error("isError is not what the reply says");
  return reply;
}

/** A client that may send anything. */
export class BareClient {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  stderr = "";
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #id = 0;

  constructor(root: string, { env = {} }: Pick<Setting, "env"> = {}) {
    this.process = spawn(process.execPath, [PROGRAM, "mcp", "--root", root], { env: { ...process.env, ...env } });
    this.ended = new Promise((done) => this.process.on("exit", done));
    this.process.stderr.on("data", (text) => (this.stderr += String(text)));
    // A reader that is gone before all was sent has read enough.
    this.process.stdin.on("error", (e) => (this.stderr += e.message));
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      this.#answers.get(answer.id)?.(answer);
    });
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  async open(): Promise<this> {
    const clientInfo = { name: "bare", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    return this;
  }

  send(line: string | Buffer): void {
    this.process.stdin.write(line);
    this.process.stdin.write("\n");
  }

  request(method: string, params: object): Promise<Answer> {
    const id = ++this.#id;
    this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((done) => this.#answers.set(id, done));
  }

  async call(name: string, input: object): Promise<Reply> {
    const { result } = await this.request("tools/call", { name, arguments: input });
    return (result as { structuredContent: Reply }).structuredContent;
  }
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { code: number; message: string };
}
