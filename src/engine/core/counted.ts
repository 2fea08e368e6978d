/** For hosts, which see no layer below the engine. */
export { counted } from "../../state/counted.ts";
