/** The public names of `taskfold/guard`: what an orchestrator asks before its file tools act. None of the engine comes along. */
export { encapsulationError } from "./tsk_denial.ts";
export type { DenialOptions, FileOperation } from "./tsk_denial.ts";
export type { TaskfoldError } from "../errors.ts";
export { findPackagesUnder } from "./tsk_find.ts";
export { filterListing, TSK_EXCLUDE_GLOBS } from "./tsk_listing.ts";
export type { EncapsulatedEntry } from "./tsk_listing.ts";
export { isEncapsulatedPath } from "./tsk_path.ts";
export type { GuardOptions } from "./tsk_path.ts";
export { isEncapsulatedPathLexical } from "../state/tsk_name.ts";
