/** The public names of `taskfold/runner`: what runs the stages of packets, and workers. Importing it starts nothing. */
export { runPacket } from "./dispatcher.ts";
export type { PacketRun, PacketRunOptions } from "./dispatcher.ts";
export type { PacketRunEvent, StageOutcome } from "./packet_run_event.ts";
export { runCaptured } from "./run_captured.ts";
export type { CaptureOptions, CapturedRunResult } from "./run_captured.ts";
export { runWorker } from "./run_worker.ts";
export type { WorkerEvent, WorkerOptions, WorkerRun } from "./run_worker.ts";
export type { Confirmed, Work, WorkFunction, WorkNote, WorkRunOptions } from "./work.ts";
export { composeStage } from "./compose_stage.ts";
export type { ComposedPrompt } from "./compose_stage.ts";
export { readPacketConfig } from "./packet_config_files.ts";
export type { PromptMode, StageExecutor, StageLimits, StagePrompt, StageRequest, StageRun } from "./stage_executor.ts";
export type { Excerpt } from "./excerpt.ts";
export type { Checkpoint } from "../state/entity.ts";
export type { FailureClass, PacketFile, StageFile } from "../state/packet.ts";
export type { AcceptanceMode } from "../state/packet_config.ts";
