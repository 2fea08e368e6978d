/** `repair` of a workspace: it puts files and logs in order. */
import type { AdoptOptions, AdoptReport } from "../adoption/adopt.ts";
import { adopt } from "../adoption/adopt.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import type { RebuildReport } from "../repair/rebuild.ts";
import { rebuild } from "../repair/rebuild.ts";
import type { ResolveOptions, ResolveReport } from "../repair/resolve.ts";
import { resolveLogs } from "../repair/resolve.ts";
import type { OpenWorkspace } from "./open.ts";
import { codedLater } from "./open.ts";

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

  async #asRepair<T>(work: () => Promise<T>): Promise<T> {
    const { result, warning } = await this.#open.beside("repair", work);
    // The reports of repairs have no warnings: the next call has it.
    if (warning) this.#open.engine.context.notices.push(warning);
    return result;
  }
}
