// @ts-check
/** The part of the build that a simulated process runs: the library with the ports that a test gives, and the dispatcher of packets. */
export { TaskfoldError } from "../../dist/index.js";
export { runPacket } from "../../dist/runner.js";
export * from "../../dist/testing.js";
