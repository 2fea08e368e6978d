/** For hosts, which see no layer below the engine. */
export { shellQuote } from "../../state/shell_quote.ts";
