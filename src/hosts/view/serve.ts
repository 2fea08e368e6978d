/** The server of the viewer: pages, the read-only interface and its events, for one person on one machine (VIEWER rules). */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Viewer } from "../../engine/open_viewer.ts";
import type { ViewerOptions } from "../../engine/open_viewer.ts";
import { errorReply } from "../../engine/entity/reply.ts";
import type { SharedAccess } from "../../engine/shared/shared_access.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import type { ErrorAnswer } from "../../views/viewer/api.ts";
import { Access, bare } from "./access.ts";
import { EventHub } from "./event_hub.ts";
import { Following } from "./following.ts";
import { InTurn } from "./in_turn.ts";
import type { PageFile } from "./page_files.ts";
import { readPageFiles } from "./page_files.ts";

export interface ServeOptions {
  root: string;
  version: string;
  host: string;
  /** 0: any that is free. */
  port: number;
  log: (message: string) => void;
  /** Where the workspace has a shared log. */
  shared?: Pick<SharedAccess, "catchUp" | "fetch" | "status"> | undefined;
  /** As `watch` of a workspace has it. */
  polling?: boolean;
  /** As the viewer asks it. */
  git?: ViewerOptions["git"];
  by?: ViewerOptions["by"];
  commandLine?: ViewerOptions["commandLine"];
  /** Where the built pages are; for tests. */
  pages?: string;
}

export interface Serving {
  /** With the token. */
  address: string;
  token: string;
  port: number;
  close: () => Promise<void>;
}

const ANSWERS = "/api/v1/";
const RAW = /^\/raw\/v1\/([A-Za-z0-9][A-Za-z0-9._-]{0,79})\/([0-9a-f]{64})$/;
/** Requests whose answers say of captured bytes what they are. */
const LOOKS_AT_BYTES =
  /^\/(?:raw\/v1|api\/v1\/entities)\/([A-Za-z0-9][A-Za-z0-9._-]{0,79})(?:\.json$|\/(?:check\.json$|revisions\/|difference|evidence\/|output\/|[0-9a-f]{64}$))/;
/** Answers that read a whole log: a slider asks for many of them. */
const READS_A_LOG = /^entities\/[^/]+\/(?:revisions|differences)\//;
/** Header of answers: a page compares it with the stamp at which the stream of changes began. */
const STAMP = "taskfold-stamp";
const LONGEST_URL = 2048;
const WORTH_GZIP = 1024;
const TIMEOUT_MS = 15_000;

/** No page frames it, no script stands in it, nothing is loaded from elsewhere, and no other site learns its address. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "cache-control": "private, no-cache",
} as const;

/** For captured bytes: whatever they hold, a browser makes no page of them. */
const RAW_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

interface Sent {
  status?: number;
  type: string;
  body: string | Buffer;
  etag?: string;
  headers?: Record<string, string>;
}

/** STORAGE_FAILED where the port is taken or the host is none of this machine. */
export async function serveViewer(options: ServeOptions): Promise<Serving> {
  const { root, version, polling = false, git, by, commandLine } = options;
  const viewer = new Viewer({ root, version, polling, by, commandLine, ...(git ? { git } : {}) });
  const following = options.shared && new Following(options.shared, options.log);
  const hub = new EventHub(viewer, options.log, () => following?.side ?? null);
  const access = new Access(options.host);
  const desk = new Desk({ viewer, hub, access, following }, readPageFiles(options.pages));
  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    desk.take(request, response).catch((e: unknown) => {
      options.log(`${request.method} failed: ${messageOf(e)}`);
      response.destroy();
    });
  });
  server.requestTimeout = TIMEOUT_MS;
  server.headersTimeout = TIMEOUT_MS;
  try {
    await listening(server, options);
  } catch (e) {
    viewer.close();
    throw e;
  }
  const { port } = server.address() as AddressInfo;
  desk.port = port;
  // Once the caller has the address. Rows are read in slices, so that the page itself is there before they are.
  const warming = setImmediate(() => {
    hub.start();
    following
      ?.run(() => hub.tellSide())
      .catch((e: unknown) => options.log(`pages follow the shared log no more: ${messageOf(e)}`));
  });
  const host = reachable(bare(options.host));
  const name = host.includes(":") ? `[${host}]` : host;
  const close = async (): Promise<void> => {
    clearImmediate(warming);
    following?.end();
    await hub.close();
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
    viewer.close();
  };
  return { address: `http://${name}:${port}/?token=${access.token}`, token: access.token, port, close };
}

/** A host that stands for every address of this machine is none that a browser elsewhere opens. */
function reachable(host: string): string {
  const family = { "0.0.0.0": "IPv4", "::": "IPv6" }[host];
  if (family === undefined) return host;
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outer = all.filter((one) => !one.internal && !one.address.startsWith("fe80"));
  const found = outer.find((one) => one.family === family) ?? outer[0];
  return found?.address ?? (family === "IPv4" ? "127.0.0.1" : "::1");
}

function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

function listening(server: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", (e: NodeJS.ErrnoException) => fail(notListening(e, host, port)));
    server.listen(port, bare(host), done);
  });
}

function notListening({ code = "an error" }: NodeJS.ErrnoException, host: string, port: number): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected to listen on ${host}, port ${port}; the system said ${code}.`, {
    recovery: "Leave out --port for any port that is free, and --host for this machine alone.",
  });
}

interface DeskParts {
  viewer: Viewer;
  hub: EventHub;
  access: Access;
  following: Following | undefined;
}

/** Answers one request after another. */
class Desk {
  readonly #viewer: Viewer;
  readonly #hub: EventHub;
  readonly #access: Access;
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #following: Following | undefined;
  readonly #inTurn = new InTurn();
  port = 0;

  constructor({ viewer, hub, access, following }: DeskParts, files: ReadonlyMap<string, PageFile>) {
    this.#viewer = viewer;
    this.#hub = hub;
    this.#access = access;
    this.#following = following;
    this.#files = files;
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "/", headers } = request;
    // A body is of no use here, and none is read.
    request.resume();
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return this.#send(request, response, refusal(405, "INVALID_INPUT", "Expected GET or HEAD."));
    }
    if (url.length > LONGEST_URL)
      return this.#send(request, response, refusal(414, "INVALID_INPUT", "Expected a shorter address."));
    const from = this.#access.judgeOrigin(headers);
    if (!from.allowed) return this.#send(request, response, refusal(from.status, "INVALID_INPUT", from.why));
    const asked = parsed(url);
    if (!asked) return this.#send(request, response, refusal(400, "INVALID_INPUT", "Expected a path."));
    const token = asked.searchParams.get("token");
    if (asked.pathname === "/" && token !== null && this.#access.isToken(token)) {
      response.setHeader("set-cookie", this.#access.cookie(this.port));
      response.setHeader("cache-control", "no-store");
      // The page itself: a redirect would lose what stands behind #, and be part of a navigation that another site may have begun.
      const { type, body } = this.#file("/");
      return this.#send(request, response, { type, body });
    }
    const caller = this.#access.judgeCaller(headers, this.port);
    if (!caller.allowed) {
      const isPage = asked.pathname === "/" && /\btext\/html\b/.test(headers.accept ?? "");
      return this.#send(request, response, isPage ? STRANGER : refusal(caller.status, "INVALID_INPUT", caller.why));
    }
    if (asked.pathname === `${ANSWERS}events`) return this.#listen(request, response);
    const sent = await this.#answered(asked, request);
    if (sent) await this.#send(request, response, sent);
    else response.destroy();
  }

  /** Undefined where the caller hung up before its answer was made. */
  async #answered(asked: URL, request: IncomingMessage): Promise<Sent | undefined> {
    const { pathname } = asked;
    try {
      const looksAt = LOOKS_AT_BYTES.exec(pathname)?.[1];
      if (looksAt !== undefined && this.#viewer.mayLackBytes) await this.#following?.fetch(looksAt);
      if (pathname.startsWith(ANSWERS)) return await this.#apiAnswer(pathname.slice(ANSWERS.length), request);
      const raw = RAW.exec(pathname);
      if (raw) return rawAnswer(this.#viewer.raw(raw[1]!, raw[2]!), raw[2]!, asked.searchParams.has("download"));
      return this.#file(pathname);
    } catch (e) {
      return failure(e);
    }
  }

  async #apiAnswer(name: string, { socket, headers: asked }: IncomingMessage): Promise<Sent | undefined> {
    const { etag, stamp, body } = await this.#viewer.answer(name);
    this.#viewer.readAhead();
    const sent = { type: "application/json; charset=utf-8", etag, headers: { [STAMP]: stamp } };
    if (asked["if-none-match"] === etag) return { ...sent, body: "" };
    const made = READS_A_LOG.test(name) ? await this.#inTurn.take(() => socket.writable, body) : await body();
    return made === undefined ? undefined : { ...sent, body: made };
  }

  #file(pathname: string): Sent {
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    const file = this.#files.get(name);
    if (file) return { type: file.type, body: file.bytes, etag: file.etag };
    if (name === "index.html") return NOT_BUILT;
    return refusal(
      404,
      "UNKNOWN_ID",
      "Expected the path of a page, of an answer below /api/v1/, or of captured bytes.",
    );
  }

  async #listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#hub.isFull)
      return this.#send(request, response, refusal(503, "INVALID_INPUT", "Too many pages listen already."));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    if (request.method === "HEAD") response.end();
    else await this.#hub.listen(response);
  }

  async #send(request: IncomingMessage, response: ServerResponse, sent: Sent): Promise<void> {
    const { status = 200, type, etag, headers = {} } = sent;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (etag !== undefined) response.setHeader("etag", etag);
    if (etag !== undefined && request.headers["if-none-match"] === etag) {
      response.writeHead(304).end();
      return;
    }
    const plain = typeof sent.body === "string" ? Buffer.from(sent.body) : sent.body;
    const zips = plain.length >= WORTH_GZIP && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const body = zips ? await promisify(gzip)(plain, { level: 5 }) : plain;
    response.writeHead(status, {
      "content-type": type,
      "content-length": body.length,
      vary: "Accept-Encoding",
      ...(zips ? { "content-encoding": "gzip" } : {}),
    });
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

/** Undefined for what is no path of this server. */
function parsed(url: string): URL | undefined {
  try {
    return /^\/(?!\/)/.test(url) ? new URL(url, "http://viewer.invalid") : undefined;
  } catch {
    // Not an address at all.
    return undefined;
  }
}

/**
 * For a person who opens an address without its token, or by a link on another site, with which a browser sends no cookie.
 * A link of this page sends it. The part behind # never comes here, so the link leads to the first page.
 */
const STRANGER: Sent = {
  status: 401,
  type: "text/html; charset=utf-8",
  body: '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Taskfold</title><h1>This browser did not say who it is</h1><p>A link on another site brought you here? <a href="/">Open the viewer</a>, or copy the whole address into a new tab.</p><p>If this page comes again, first open the address that <code>taskfold view</code> printed in this browser once.</p><div lang="zh-CN"><p>如果您是通过其他网站的链接来到这里，请<a href="/">打开查看器</a>，或将完整地址复制到新标签页。</p><p>如果仍显示此页，请先在此浏览器中打开 <code>taskfold view</code> 显示的地址。</p></div></html>\n',
};

const NOT_BUILT: Sent = {
  type: "text/html; charset=utf-8",
  body: '<!doctype html><html lang="en"><meta charset="utf-8"><title>Taskfold</title><h1>The pages are not built</h1><p>Run <code>npm run build</code> in the clone of Taskfold, then start <code>taskfold view</code> again.</p><p>The interface answers all the same: <a href="/api/v1/workspace.json">/api/v1/workspace.json</a></p></html>\n',
};

function rawAnswer(bytes: Buffer, sha256: string, download: boolean): Sent {
  const isText = !bytes.includes(0) && isUtf8(bytes);
  const attached =
    download || !isText ? { "content-disposition": `attachment; filename="${sha256}.${isText ? "txt" : "bin"}"` } : {};
  return {
    type: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
    body: bytes,
    etag: `"${sha256}"`,
    headers: { "content-security-policy": RAW_POLICY, ...attached },
  };
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    // Its only way to say no.
    return false;
  }
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  UNKNOWN_ID: 404,
  INVALID_INPUT: 400,
  ID_UNSAFE: 400,
  CONTENT_TOO_LARGE: 413,
  PATH_UNSAFE: 422,
  LOG_UNREADABLE: 422,
  LOG_CONFLICT_MARKERS: 422,
};

/** Tells errors of the system as commands tell them, without a path of this machine. */
function failure(e: unknown): Sent {
  const { error } = errorReply("view", e);
  const { code, message, recovery } = error!;
  if (!isTaskfoldError(e)) return refusal(500, code, message, recovery);
  return refusal(STATUS[code] ?? 500, code, message, recovery);
}

function refusal(status: number, code: string, message: string, recovery: string | null = null): Sent {
  const answer: ErrorAnswer = { api: 1, error: { code, message, recovery } };
  return { status, type: "application/json; charset=utf-8", body: JSON.stringify(answer) };
}
