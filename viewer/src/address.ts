/** Routes behind `#`: they work from disk as they do on a server, and every choice of a reader can be sent to another. */
import { hrefOf, parseAddress } from "./address_text.ts";
import type { Address, Query } from "./address_text.ts";
import { lateWrite } from "./late_write.ts";
import { store } from "./store.ts";

export { hrefOf, hrefOfEntity } from "./address_text.ts";
export type { Address, Page } from "./address_text.ts";

export const address = store<Address>(parseAddress(location.hash));
/** The hash that the address was read from or written to. The browser tells of another one only a moment after it has it. */
let known = location.hash;
/**
 * Each letter of a search and each step of a slider would be a call of the browser's history. Firefox and Safari refuse
 * such calls after 100 to 200 of them in some seconds: the address follows what is shown a moment later.
 */
const written = lateWrite((href) => {
  // The reader went elsewhere meanwhile: what was chosen here would take them back.
  if (location.hash !== known) return;
  try {
    history.replaceState(null, "", href);
    known = location.hash;
  } catch {
    // The browser had too many calls. The page shows what the reader chose; the next choice writes the address.
  }
}, 150);

addEventListener("hashchange", () => {
  written.drop();
  known = location.hash;
  address.set(parseAddress(known));
});
// The place that the reader leaves keeps what was chosen there, for the back button and for a reload.
addEventListener("pagehide", written.flush);
addEventListener("click", written.flush, true);

export function go(href: string): void {
  written.flush();
  location.hash = href;
  known = location.hash;
}

/** Goes there without a step for the back button. */
export function replace(href: string): void {
  address.set(parseAddress(href));
  written.later(href);
}

/** Changes what the query says; `silent` leaves no step for the back button, as for each letter of a search. */
export function choose(changes: Query, silent = false): void {
  const { page, id, query } = address.get();
  const href = hrefOf(page, id, { ...query, ...changes });
  if (silent) replace(href);
  else go(href);
}
