/** On paper nothing scrolls: lists that hold the rows in sight hold all of them while a page is printed. */
import { store } from "./store.ts";

/** Lines that a browser lays out for paper within a moment. */
export const MAX_PRINTED = 3000;

export const printing = store(false);

addEventListener("beforeprint", () => printing.set(true));
addEventListener("afterprint", () => printing.set(false));
