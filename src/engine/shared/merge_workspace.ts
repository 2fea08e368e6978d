/**
 * Mode `merge` (SHARED rules). A change counts once this machine has it, and is published behind. Changes of other machines join those of
 * this one as after a merge by git. A machine works on without a server, and catches up when one answers.
 */
import { fraction } from "../../runtime.ts";
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { unwaited } from "../core/unwaited.ts";
import type { CallResult, CheckedCall } from "../entity/job.ts";
import { disconnected } from "./failures.ts";
import type { Beside, Shared } from "./shared_machine.ts";
import { SharedMachine } from "./shared_machine.ts";
import { isDivergent } from "./divergence.ts";

/** Changes of so long go out together. */
const GATHER_MS = 5;
/** How long it waits before it asks a server again that did not answer: twice as long each time. */
const RETRY_MS = { first: 500, most: 30_000 };
/** Machines that the same server comes back to do not publish all at once. */
const BACK_MS = 250;
const CLAIMS = /^tasks_claim(?:_next)?$/;

const NOT_SHARED: Warning = {
  code: "CLAIM_NOT_SHARED",
  message:
    "The claim holds on this machine; others learn of it when it is published, and one of them may claim the same before.",
  recovery: "Look at it again a little later, or share the workspace in mode strict.",
};

export class MergeWorkspace extends SharedMachine {
  #cancel: (() => void) | null = null;
  #retryMs = RETRY_MS.first;
  #publishing: Promise<boolean> | null = null;
  #workspace = "";
  #lastNotice = "";
  /** Whether work beside the tools wrote to logs that no mark names. */
  #wroteBeside = false;

  /** As without a shared log; the change is published later. */
  async run(call: CheckedCall, attempt: () => Promise<CallResult> | CallResult): Promise<CallResult> {
    const { tool, workspace } = call;
    const isRead = tool.effect === "read" || tool.effect === "focus";
    this.#workspace = workspace;
    // A folder that is bound to nothing knows of no plan or task yet.
    if (!this.parts.binding) await this.ready(workspace);
    else if (!this.log) this.#soon(0);
    if (isRead) return this.answer(workspace, attempt);
    await this.beforeChange(call);
    const outcome = await attempt();
    this.#soon(GATHER_MS);
    return CLAIMS.test(tool.name) ? { ...outcome, warnings: [...outcome.warnings, NOT_SHARED] } : outcome;
  }

  /** Work beside the calls of tools: it is published later, whatever it wrote. */
  async beside<T>(workspace: string, kind: Beside, work: () => Promise<T>): Promise<Shared<T>> {
    const result = await work();
    this.#workspace = workspace;
    if (kind !== "calls") this.#wroteBeside = true;
    this.#soon(GATHER_MS);
    return { result, warning: undefined };
  }

  override async close(): Promise<void> {
    if (this.isClosed) return;
    this.#stop();
    await Promise.allSettled([this.#publishing]);
    try {
      if (this.#workspace !== "") await this.#publish();
    } finally {
      this.#stop();
      await super.close();
    }
  }

  /** The attempt that waits for a server is made at once. */
  override back(): void {
    this.#retryMs = RETRY_MS.first;
    if (!this.#cancel) return;
    this.#stop();
    this.#soon(fraction(this.parts.context.runtime) * BACK_MS);
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #soon(ms: number): void {
    if (this.isClosed) return;
    this.#cancel ??= this.parts.context.runtime.after(ms, () => {
      this.#cancel = null;
      unwaited(this.parts.context, "SHARED_BEHIND", () => this.#again());
    });
  }

  async #again(): Promise<void> {
    if (this.#publishing) {
      await Promise.allSettled([this.#publishing]);
      return this.#soon(GATHER_MS);
    }
    try {
      if (await this.#publish()) {
        this.#retryMs = RETRY_MS.first;
        return;
      }
    } catch (e) {
      // The changes are in the logs here, and other machines still wait for them.
      this.#tell(e);
    }
    this.#soon(this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS.most);
  }

  /** Publishes what this process changed; false where no server took it. */
  #publish(): Promise<boolean> {
    return (this.#publishing ??= this.#published().finally(() => (this.#publishing = null)));
  }

  async #published(): Promise<boolean> {
    const isAll = this.#wroteBeside;
    this.#wroteBeside = false;
    try {
      const log = await this.ready(this.#workspace);
      if (!log.connected) throw disconnected(this.port, log);
      await this.exclusively(async () => {
        await this.consumer.catchUp(log);
        const { checkpoint } = this.consumer;
        const changed = this.parts.dirty.ids().filter((id) => isDivergent(this.parts, checkpoint, id));
        const suspects = isAll ? this.suspects(this.#workspace) : [];
        const due = [...new Set([...changed, ...suspects])];
        if (due.length > 0) await this.publishLacking(log, due);
      });
      this.#lastNotice = "";
      return true;
    } catch (e) {
      this.#wroteBeside ||= isAll;
      if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      this.#tell(e);
      return false;
    }
  }

  /** A server that is away is no news in this mode. The next call hears of anything else, once. */
  #tell(e: unknown): void {
    const message = e instanceof Error && !(isTaskfoldError(e) && e.code === "SHARED_UNAVAILABLE") ? e.message : "";
    if (message !== "" && message !== this.#lastNotice)
      this.parts.context.notices.push({ code: "SHARED_BEHIND", message });
    this.#lastNotice = message;
  }
}
