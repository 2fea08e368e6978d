/** For hosts, which see no layer below the engine. */
export { INVISIBLE } from "../../state/invisible.ts";
