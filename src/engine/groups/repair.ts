/** `repair` of a workspace: it puts files and logs in order, and gives the workspace another id. */
import { TaskfoldError } from "../../errors.ts";
import type { AdoptOptions, AdoptReport } from "../adoption/adopt.ts";
import { adopt } from "../adoption/adopt.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import { renameFocus } from "../entities/focus.ts";
import { checkWorkspaceId, readBinding } from "../entity/binding.ts";
import type { RebuildReport } from "../repair/rebuild.ts";
import { rebuild } from "../repair/rebuild.ts";
import type { ResolveOptions, ResolveReport } from "../repair/resolve.ts";
import { resolveLogs } from "../repair/resolve.ts";
import type { OpenWorkspace } from "./open.ts";
import { codedLater } from "./open.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export class WorkspaceRepair {
  readonly #open: OpenWorkspace;

  /** @internal */
  constructor(open: OpenWorkspace) {
    this.#open = open;
  }

  /** Reads what people wrote into the logs, then writes every projection that is not as the logs say. */
  async rebuild(id?: string, options: ProgressOptions = {}): Promise<RebuildReport> {
    this.#open.check(...(id === undefined ? [] : [id]));
    const work = () => rebuild(this.#open.engine, id, { ...options, ingest: true });
    return codedLater("rebuild the files", this.#asRepair(work));
  }

  /** Puts logs in order after git: markers, duplicates, bad lines, two entities in one log; then rebuilds and verifies. */
  async resolve(id?: string, options: ResolveOptions = {}): Promise<ResolveReport> {
    this.#open.check(...(id === undefined ? [] : [id]));
    const work = () => resolveLogs(this.#open.engine, id, options);
    return codedLater("put the logs in order", options.dryRun ? work() : this.#asRepair(work));
  }

  /** Gives a folder that another program kept a log of ours; with `again` takes in what that program changed since. */
  async adopt(id: string, options: AdoptOptions = {}): Promise<AdoptReport> {
    this.#open.check(id);
    const work = () => adopt(this.#open.engine, id, options);
    if (options.dryRun) return codedLater("adopt the folder", work());
    const { result, warning } = await codedLater("adopt the folder", this.#open.beside("change", work));
    return warning ? { ...result, warnings: [...result.warnings, warning] } : result;
  }

  /**
   * Gives the workspace of this root another id, and each focus of this machine with it. No log changes. INVALID_INPUT where a shared log
   * goes by the id, NO_WORKSPACE where the root is bound to none. Processes that have the root open go on under the id that they know.
   */
  async rename(to: string): Promise<{ from: string; workspace: string }> {
    this.#open.check();
    checkWorkspaceId(to);
    const { context, root, machine } = this.#open.engine;
    const lock = await this.#open.engine.lockWorkspace();
    try {
      const from = readBinding(context)?.workspace;
      if (machine || context.disk.lstat(context.layout.machineFile("shared", "position"))) throw isShared(to);
      const { workspace } = root.rename(to);
      if (from !== undefined && from !== workspace) renameFocus(context, from, workspace);
      return { from: from ?? workspace, workspace };
    } finally {
      lock.release();
    }
  }

  async #asRepair<T>(work: () => Promise<T>): Promise<T> {
    const { result, warning } = await this.#open.beside("repair", work);
    // The reports of repairs have no warnings: the next call has it.
    if (warning) this.#open.engine.context.notices.push(warning);
    return result;
  }
}

/** Other machines find the shared log by the id. */
function isShared(to: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a workspace without a shared log to rename to ${JSON.stringify(to)}; this machine has one, which goes by the old id.`,
    remedy`Let every machine leave it (${TASKFOLD} shared leave), rename the workspace, then make a shared log of the new id (${TASKFOLD} shared init).`,
  );
}
