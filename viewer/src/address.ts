/** Routes behind `#`: they work from disk as they do on a server, and every choice of a reader can be sent to another. */
import { hrefOf, parseAddress } from "./address_text.ts";
import type { Address, Query } from "./address_text.ts";
import { store } from "./store.ts";

export { hrefOf, hrefOfEntity } from "./address_text.ts";
export type { Address, Page } from "./address_text.ts";

export const address = store<Address>(parseAddress(location.hash));
addEventListener("hashchange", () => address.set(parseAddress(location.hash)));

export function go(href: string): void {
  location.hash = href;
}

/** Goes there without a step for the back button. */
export function replace(href: string): void {
  history.replaceState(null, "", href);
  address.set(parseAddress(href));
}

/** Changes what the query says; `silent` leaves no step for the back button, as for each letter of a search. */
export function choose(changes: Query, silent = false): void {
  const { page, id, query } = address.get();
  const href = hrefOf(page, id, { ...query, ...changes });
  if (silent) replace(href);
  else go(href);
}
