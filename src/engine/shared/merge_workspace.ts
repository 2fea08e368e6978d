/**
 * Mode `merge` (SHARED rules). A change counts once this machine has it, and is published behind. Changes of other machines join those of
 * this one as after a merge by git. A machine works on without a server, and catches up when one answers.
 */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { CallResult, CheckedCall } from "../entity/job.ts";
import { SharedMachine } from "./shared_machine.ts";
import { outOfStep } from "./step.ts";

/** Changes of so long go out together. */
const GATHER_MS = 5;
/** How long it waits before it asks a server again that did not answer: twice as long each time. */
const RETRY_MS = { first: 500, most: 30_000 };
const CLAIMS = /^tasks_claim(?:_next)?$/;

const NOT_SHARED: Warning = {
  code: "CLAIM_NOT_SHARED",
  message:
    "The claim holds on this machine; others learn of it when it is published, and one of them may claim the same before.",
  recovery: "Look at it again a little later, or share the workspace in mode strict.",
};

export class MergeWorkspace extends SharedMachine {
  #timer: NodeJS.Timeout | null = null;
  #retryMs = RETRY_MS.first;
  #publishing: Promise<boolean> | null = null;
  #workspace = "";

  /** As without a shared log; what was changed is published later. */
  async run({ tool, workspace }: CheckedCall, attempt: () => Promise<CallResult> | CallResult): Promise<CallResult> {
    const isRead = tool.effect === "read" || tool.effect === "focus";
    this.#workspace = workspace;
    // A folder that is bound to nothing knows of no plan or task yet.
    if (!this.parts.binding) await this.ready(workspace);
    else if (!this.log) this.#soon(0);
    if (isRead) return this.answer(workspace, attempt);
    const outcome = await attempt();
    this.#soon(GATHER_MS);
    return CLAIMS.test(tool.name) ? { ...outcome, warnings: [...outcome.warnings, NOT_SHARED] } : outcome;
  }

  override async close(): Promise<void> {
    if (this.isClosed) return;
    this.#stop();
    await this.#publishing;
    if (this.#workspace !== "") await this.#publish();
    this.#stop();
    await super.close();
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #soon(ms: number): void {
    if (this.isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#again();
    }, ms);
  }

  async #again(): Promise<void> {
    if (this.#publishing) {
      await this.#publishing;
      return this.#soon(GATHER_MS);
    }
    if (await this.#publish()) {
      this.#retryMs = RETRY_MS.first;
      return;
    }
    this.#soon(this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS.most);
  }

  /** Publishes what this process changed; false where no server took it. */
  #publish(): Promise<boolean> {
    return (this.#publishing ??= this.#published().finally(() => (this.#publishing = null)));
  }

  async #published(): Promise<boolean> {
    try {
      const log = await this.ready(this.#workspace);
      if (!log.connected) return false;
      await this.exclusively(async () => {
        await this.intake.catchUp(log);
        const { position } = this.intake;
        const changed = this.parts.dirty.ids().filter((id) => outOfStep(this.parts, position, id));
        if (changed.length > 0) await this.publishLacking(log, changed);
      });
      return true;
    } catch (e) {
      if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      // A server that is away is no news in this mode; anything else is told to the next call.
      if (!isTaskfoldError(e) || e.code !== "SHARED_UNAVAILABLE")
        this.parts.context.notices.push({ code: "SHARED_BEHIND", message: (e as Error).message });
      return false;
    }
  }
}
