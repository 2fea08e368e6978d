/** Routes behind `#`: they work from disk as they do on a server, and every choice of a reader can be sent to another. */
import { store } from "./store.ts";

export const PAGES = ["board", "plans", "plan", "task", "time", "agents", "health"] as const;
export type Page = (typeof PAGES)[number];

export interface Address {
  page: Page;
  /** Of a plan or task; empty elsewhere. */
  id: string;
  query: Readonly<Record<string, string>>;
}

export type Query = Readonly<Record<string, string | undefined>>;

export function parseAddress(hash: string): Address {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", id = ""] = path.split("/");
  const page = PAGES.find((one) => one === name) ?? "board";
  return { page, id: decoded(id), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** An address by hand may hold a `%` that stands for nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hrefOf(page: Page, id = "", query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) search.set(key, value);
  const text = search.toString();
  return `#/${page}${id && `/${encodeURIComponent(id)}`}${text && `?${text}`}`;
}

/** Where an entity has its page. */
export function hrefOfEntity(id: string, kind: string | null, query: Query = {}): string {
  return hrefOf(kind === "plan" ? "plan" : "task", id, query);
}

export const address = store<Address>(parseAddress(location.hash));
addEventListener("hashchange", () => address.set(parseAddress(location.hash)));

export function go(href: string): void {
  location.hash = href;
}

/** Changes what the query says; `replace` leaves no step for the back button, as for each letter of a search. */
export function choose(changes: Query, replace = false): void {
  const { page, id, query } = address.get();
  const href = hrefOf(page, id, { ...query, ...changes });
  if (!replace) return go(href);
  history.replaceState(null, "", href);
  address.set(parseAddress(href));
}
