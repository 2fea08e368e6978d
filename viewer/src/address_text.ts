/** The text behind `#`: a page, the id that it is about, and what the reader chose. */
export const PAGES = ["now", "board", "plans", "plan", "task", "time", "agents", "health", "nowhere"] as const;
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
  const page = name === "" ? "now" : (PAGES.find((one) => one === name) ?? "nowhere");
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
