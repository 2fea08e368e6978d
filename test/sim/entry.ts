/** The part of the sources that a simulated process runs: the library on a given machine, internals of hosts, and the dispatcher of packets. */
export { FileTooLargeError } from "../../src/disk_errors.ts";
export { internalsOf } from "../../src/engine/groups/internals.ts";
export { TaskfoldError } from "../../src/errors.ts";
export { runPacket } from "../../src/runner/index.ts";
export { openWorkspace } from "../../src/testing.ts";
