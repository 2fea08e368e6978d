/** A server of the viewer in this process, and what its clients ask. */
import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Viewer } from "../../src/engine/open_viewer.ts";
import { serveViewer } from "../../src/hosts/view/serve.ts";
import type { ServeOptions, Serving } from "../../src/hosts/view/serve.ts";
import { tempFolder } from "../support/temp.ts";

export const INDEX = `<!doctype html><html><head><meta charset="utf-8"><meta name="taskfold-source" content="live" />
<link rel="stylesheet" href="./app.css"><script defer src="./app.js"></script></head><body><main id="app"></main></body></html>`;

/** Built pages as small as they can be. */
export function builtPages(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), INDEX);
  writeFileSync(join(folder, "app.js"), 'document.title = "</script><!--";\n');
  writeFileSync(join(folder, "app.css"), "main { color: black }\n");
  writeFileSync(join(folder, "assets", "graph.js"), "globalThis.graph = 1;\n");
  writeFileSync(join(folder, ".hidden.js"), "globalThis.hidden = 1;\n");
  return folder;
}

/** Reads a folder until the test is over. */
export function viewerOf(root: string, now?: () => number): Viewer {
  const viewer = new Viewer({ root, version: "0.0.0", ...(now ? { now } : {}) });
  onTestFinished(() => viewer.close());
  return viewer;
}

/** The answer of that name, as its readers have it. */
export async function read<A>(viewer: Viewer, name: string): Promise<A> {
  const { body } = await viewer.answer(name);
  return JSON.parse(await body()) as A;
}

/** Serves until the test is over. */
export async function serving(
  root: string,
  options: Partial<Pick<ServeOptions, "host" | "pages" | "log" | "shared">> = {},
): Promise<Serving> {
  const server = await serveViewer({
    root,
    version: "0.0.0",
    host: "127.0.0.1",
    port: 0,
    log: () => undefined,
    pages: options.pages ?? builtPages(),
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request with the token unless `headers` say otherwise; not by fetch, which sends no Host of its own. */
export function get(
  { port, token }: Pick<Serving, "port" | "token">,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Got> {
  const all = { authorization: `Bearer ${token}`, ...headers };
  return new Promise((done, fail) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    asked.on("error", fail);
    asked.end();
  });
}

/** The answer of that name. */
export async function answer<A>(server: Serving, name: string): Promise<A> {
  const { status, body } = await get(server, `/api/v1/${name}`);
  if (status !== 200) throw new Error(`expected 200 for ${name}, found ${status}: ${body}`);
  return JSON.parse(body) as A;
}

/** Server-sent events, each as its name and data; ends with the test. */
export function listen({ port, token }: Serving): { events: { name: string; data: unknown; at: number }[] } {
  const events: { name: string; data: unknown; at: number }[] = [];
  const headers = { authorization: `Bearer ${token}` };
  const asked = request({ host: "127.0.0.1", port, path: "/api/v1/events", headers }, (response) => {
    let rest = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const parts = (rest + chunk).split("\n\n");
      rest = parts.pop()!;
      for (const part of parts) {
        const name = /^event: (.*)$/m.exec(part)?.[1];
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (name !== undefined && data !== undefined)
          events.push({ name, data: JSON.parse(data) as unknown, at: performance.now() });
      }
    });
  });
  asked.on("error", () => undefined);
  asked.end();
  onTestFinished(() => void asked.destroy());
  return { events };
}
