/** Where answers come from: a server, files beside the document, or the document itself (src/views/viewer/api.ts says how). */
import type { Answer, EmbeddedData, ErrorAnswer } from "../../../src/views/viewer/api.ts";
import { withoutDirections } from "../text/directions.ts";
import { loadScript } from "./load_script.ts";

/** An answer that is not to be had: the words of the server, or ours where there are none. */
export class Refusal extends Error {
  readonly code: string;
  readonly recovery: string | null;
  constructor(code: string, message: string, recovery: string | null = null) {
    super(message);
    this.code = code;
    this.recovery = recovery;
  }
}

/** Codes of our own, for which the page has words in each language. */
export const NOT_HELD = "NOT_HELD";
export const NO_CONNECTION = "NO_CONNECTION";
/** The server was started anew since this page was opened. */
export const NO_ACCESS = "NO_ACCESS";

/** Why an answer is not to be had, whatever was thrown. */
export function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(kind === "live" ? NO_CONNECTION : NOT_HELD, String(error));
}

export type SourceKind = "live" | "files" | "inline";

export function sourceKind(): SourceKind {
  const content = document.querySelector('meta[name="taskfold-source"]')?.getAttribute("content");
  return content === "files" || content === "inline" ? content : "live";
}

export const kind = sourceKind();

/** `signal` ends the question to a server; files and the document are there at once. */
export function load(name: string, signal?: AbortSignal): Promise<Answer> {
  if (kind === "live") return fetched(name, signal);
  return kind === "files" ? fromScript(name) : fromDocument(name);
}

/** The stamp at which the stream of changes began. */
let streamStamp: string | undefined;
/** Stamps of the answers before that. */
const read = new Set<string>();

/** From this stamp on every change is told. Whether an answer was read as of another one. */
export function streamBegins(stamp: string): boolean {
  streamStamp = stamp;
  return [...read].some((one) => one !== stamp);
}

async function fetched(name: string, signal?: AbortSignal): Promise<Answer> {
  const isEarly = streamStamp === undefined;
  // `no-cache` asks the server each time, which answers with its ETag alone where nothing changed.
  const how: RequestInit = { cache: "no-cache", credentials: "same-origin", ...(signal ? { signal } : {}) };
  const response = await fetch(`api/v1/${name}`, how).catch(() => {
    throw new Refusal(NO_CONNECTION, name);
  });
  const body = (await response
    .text()
    .then(parsed)
    .catch(() => null)) as Answer | ErrorAnswer | null;
  if (response.ok && body) {
    const stamp = response.headers.get("taskfold-stamp") ?? "";
    // Asked for before the stream began, and as of another moment: what came in between is told by neither.
    if (isEarly && streamStamp !== undefined && stamp !== streamStamp) return fetched(name, signal);
    if (isEarly) read.add(stamp);
    return body;
  }
  if (response.status === 401) throw new Refusal(NO_ACCESS, name);
  if (body && "error" in body) throw new Refusal(body.error.code, body.error.message, body.error.recovery);
  throw new Refusal(response.status === 404 ? NOT_HELD : NO_CONNECTION, `${name}: HTTP ${response.status}`);
}

/** In JSON every character of a text stands as it is, those that turn directions too. */
function parsed(json: string): unknown {
  return JSON.parse(withoutDirections(json));
}

const arrived = new Map<string, Answer>();

async function fromScript(name: string): Promise<Answer> {
  Object.assign(globalThis, {
    taskfoldData: (of: string, answer: Answer) => arrived.set(of, parsed(JSON.stringify(answer)) as Answer),
  });
  await loadScript(`api/v1/${name}.js`).catch(() => {
    throw new Refusal(NOT_HELD, name);
  });
  const answer = arrived.get(name);
  arrived.delete(name);
  if (!answer) throw new Refusal(NOT_HELD, name);
  return answer;
}

let embedded: EmbeddedData | undefined;

function fromDocument(name: string): Promise<Answer> {
  embedded ??= parsed(document.getElementById("taskfold-data")?.textContent ?? "{}") as EmbeddedData;
  const answer = Object.hasOwn(embedded, name) ? embedded[name] : undefined;
  return answer ? Promise.resolve(answer) : Promise.reject(new Refusal(NOT_HELD, name));
}
