/** `taskfold/jetstream`: a workspace that several machines share over NATS JetStream. */
export { jetstream } from "./jetstream.ts";
export { jetstreamOptionsIn } from "./options_in.ts";
export type { JetStreamOptions } from "./jetstream.ts";
export type { SharedBlobs } from "../../engine/core/shared_log.ts";
