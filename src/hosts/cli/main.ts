/** The modules that the program loads first, together. */
export { EXIT } from "../../errors.ts";
export { nodeIo } from "./io.ts";
export { runCli } from "./run.ts";
