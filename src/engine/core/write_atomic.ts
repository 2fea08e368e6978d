/** For hosts, which see no layer below the engine. */
export { writeAtomic } from "../../files/atomic.ts";
