/** Names of answers (`entities/TASK-001/history/0.json`) as what they ask for. */
import { LIST_NAMES } from "../../views/viewer/api.ts";
import type { ListName } from "../../views/viewer/api.ts";

export type AnswerRequest =
  | { what: "workspace" | "status" | "standings" | "health" }
  | { what: "board" | "agents" | "logs"; page: number }
  | { what: "search"; text: string }
  | { what: "graph"; id: string }
  | { what: "entity" | "check"; id: string }
  | { what: "revision"; id: string; revision: number }
  | { what: "difference"; id: string; from: number; to: number }
  | { what: "history"; id: string; page: number }
  | { what: "list"; id: string; list: ListName; page: number; revision?: number }
  | { what: "output"; id: string; sha256: string; page: number };

const NUMBER = "(0|[1-9]\\d{0,8})";
const ID = "([A-Za-z0-9][A-Za-z0-9._-]{0,79})";
const TEXT = "((?:[A-Za-z0-9._~!*'()-]|%[0-9A-F]{2})+)";
/** As `tasks_search` takes them. */
const LONGEST_TEXT = 200;
const SHA256 = "([0-9a-f]{64})";
const LIST = `(${LIST_NAMES.join("|")})`;

type Parts = readonly string[];

const FORMS: [RegExp, (parts: Parts) => AnswerRequest | undefined][] = [
  [form("(workspace|status|standings|health)"), ([, what]) => ({ what: what as "workspace" })],
  [form("agents"), () => ({ what: "agents", page: 0 })],
  [form(`(board|agents|logs)/${NUMBER}`), ([, what, page]) => ({ what: what as "board", page: Number(page) })],
  [form(`search/${TEXT}`), ([, text]) => searchFor(text!)],
  [form(`plans/${ID}/graph`), ([, id]) => ({ what: "graph", id: id! })],
  [form(`entities/${ID}/check`), ([, id]) => ({ what: "check", id: id! })],
  [form(`entities/${ID}/revisions/${NUMBER}`), ([, id, n]) => ({ what: "revision", id: id!, revision: Number(n) })],
  [
    form(`entities/${ID}/differences/${NUMBER}-${NUMBER}`),
    ([, id, a, b]) => ({ what: "difference", id: id!, from: Number(a), to: Number(b) }),
  ],
  [form(`entities/${ID}/history/${NUMBER}`), ([, id, n]) => ({ what: "history", id: id!, page: Number(n) })],
  [
    form(`entities/${ID}/${LIST}/${NUMBER}`),
    ([, id, list, n]) => ({ what: "list", id: id!, list: list as ListName, page: Number(n) }),
  ],
  [
    form(`entities/${ID}/revisions/${NUMBER}/${LIST}/${NUMBER}`),
    ([, id, r, list, n]) => ({ what: "list", id: id!, list: list as ListName, page: Number(n), revision: Number(r) }),
  ],
  [
    form(`entities/${ID}/output/${SHA256}/${NUMBER}`),
    ([, id, sha256, n]) => ({ what: "output", id: id!, sha256: sha256!, page: Number(n) }),
  ],
  // Last: an id may have dots, and no slash.
  [form(`entities/${ID}`), ([, id]) => ({ what: "entity", id: id! })],
];

/** Undefined for a name that no answer has. */
export function requestOf(name: string): AnswerRequest | undefined {
  for (const [pattern, of] of FORMS) {
    const parts = pattern.exec(name);
    if (parts) return of(parts);
  }
  return undefined;
}

/** Undefined for bytes that are no text, and for a text that is too long. */
function searchFor(encoded: string): AnswerRequest | undefined {
  try {
    const text = decodeURIComponent(encoded);
    return text.length <= LONGEST_TEXT ? { what: "search", text } : undefined;
  } catch {
    return undefined;
  }
}

function form(text: string): RegExp {
  return new RegExp(`^${text}\\.json$`);
}
