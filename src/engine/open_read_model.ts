/**
 * The source of every answer about an open workspace: its logs in memory, its lists, its binding and its journal. The engine is such a
 * source that writes as well. The reader and the viewer have one each.
 */
import type { Suggestion, Warning } from "../errors.ts";
import type { Tool } from "../tools/define.ts";
import { Journal } from "./commit/journal.ts";
import type { EngineContext } from "./core/context.ts";
import { validate, validateIfReady } from "./core/input/validate.ts";
import { observedCall } from "./core/telemetry/observed_call.ts";
import { Entities } from "./entities/entities.ts";
import { aboutFocus, withFocus } from "./entities/focus.ts";
import { GitBases } from "./entities/git_base.ts";
import type { ReadModel } from "./entities/read_model.ts";
import type { Binding } from "./entity/binding.ts";
import { checkAccepted, RootBinding } from "./entity/binding.ts";
import type { CallResult, Caller, CheckedCall } from "./entity/job.ts";
import { HumanFiles } from "./entity/human_files.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply, okReply } from "./entity/reply.ts";
import { Store } from "./entity/store.ts";
import type { Listing } from "./listing/listing.ts";
import type { explained, offeredBy } from "./query/explained.ts";
import { mayBeHeld } from "./query/may_be_held.ts";
import { withJournal } from "./transaction/journal_lines.ts";

/** A call as its host made it. */
export interface Asked {
  name: string;
  /** UNKNOWN_TOOL where there is none. */
  tool: () => Tool;
  input: unknown;
  caller: Caller;
  /** Whether the input names its workspace in any case. */
  workspaceRequired: boolean;
}

/** The part of an answer in which the engine and the reader differ. */
export interface AnswerBy {
  /** Steps 2 to 7. */
  run: (call: CheckedCall) => Promise<CallResult> | CallResult;
  /** Gives the functions that judge offers and refusals. They know every tool, so a reader loads them only if it needs them. */
  explain: () => Explain | Promise<Explain>;
  /** The reply to a refusal, as the tool cuts it. */
  fit?: (call: CheckedCall, refusal: Reply) => Reply;
}

interface Explain {
  explained: typeof explained;
  offeredBy: typeof offeredBy;
}

export class OpenReadModel implements ReadModel {
  readonly context: EngineContext;
  readonly root: RootBinding;
  readonly store: Store;
  readonly entities: Entities;
  readonly listing: Listing;
  readonly bases: GitBases;
  readonly people: HumanFiles;
  readonly journal: Journal;

  constructor(context: EngineContext, root = new RootBinding(context, "sequential")) {
    this.context = context;
    this.root = root;
    this.store = new Store(context);
    this.entities = new Entities(context, this.store);
    this.listing = this.entities.listing;
    this.bases = new GitBases(context);
    this.people = new HumanFiles(context);
    this.journal = new Journal(context);
  }

  get binding(): Binding | undefined {
    return this.root.binding;
  }

  /** The source of readers: accepted changes that are not yet in their logs count for them, too. */
  reading(): ReadModel {
    return this.journal.pending().length === 0 ? this : withJournal<ReadModel>(this, this.journal);
  }

  /** Steps 1 and 7 of a call. Never throws: what is refused or fails comes back as the error of the reply. */
  answer(asked: Asked, by: AnswerBy): Promise<Reply> {
    const { telemetry } = this.context;
    if (!telemetry) return this.#answer(asked, by);
    return observedCall(telemetry, asked.name, () => this.#answer(asked, by));
  }

  async #answer({ name, tool: toolOf, input, caller, workspaceRequired }: Asked, by: AnswerBy): Promise<Reply> {
    let call: CheckedCall | undefined;
    try {
      const tool = toolOf();
      // 1 validate
      this.root.look();
      const { accepted, configured } = this.root;
      const asked = { accepted, implied: workspaceRequired ? undefined : configured };
      const checked = validateIfReady(tool, input, asked) ?? (await validate(tool, input, asked));
      call = { tool, input: checked, workspace: checked["workspace"] as string, caller };
      checkAccepted(accepted, call.workspace);
      const outcome = await by.run(call);
      // 7 reply
      const warnings = this.withNotices(aboutFocus(call, outcome.warnings));
      if (outcome.error) return errorReply(name, outcome.error, warnings);
      const offered = outcome.suggestions.length === 0 ? [] : await this.#offered(call, outcome, by);
      return okReply(name, withFocus(call, outcome.result), warnings, offered);
    } catch (e) {
      if (!call) return errorReply(name, e, this.withNotices([]));
      const { explained } = await by.explain();
      const refusal = errorReply(name, explained(this.#answering(), call, e), this.withNotices([]));
      return by.fit?.(call, refusal) ?? refusal;
    }
  }

  /** The warnings, and what this process has to tell with its next answer. */
  withNotices(warnings: Warning[]): Warning[] {
    const { notices } = this.context;
    return notices.length === 0 ? warnings : [...warnings, ...notices.splice(0)];
  }

  async #offered(call: CheckedCall, outcome: CallResult, { explain }: AnswerBy): Promise<Suggestion[]> {
    const from = this.#answering();
    if (!isAnyInDoubt(from, call, outcome)) return outcome.suggestions;
    const { offeredBy } = await explain();
    return offeredBy(from, call, outcome);
  }

  /** A disk that fails by now takes nothing from an answer. */
  #answering(): ReadModel {
    try {
      return this.reading();
    } catch {
      return this;
    }
  }

  /** Leaves an index of the lists behind where that is worth it, and lets go of every log. */
  closeLogs(): void {
    this.listing.close();
    this.store.close();
  }
}

/** Whether an offered call may be refused now: one that a claim keeps the caller from, or one of a state that is past. */
function isAnyInDoubt(from: ReadModel, { workspace }: CheckedCall, { suggestions, warnings }: CallResult): boolean {
  try {
    if (warnings.some(({ code }) => code === "REPLAYED")) return true;
    return suggestions.some((one) => mayBeHeld(from, workspace, one));
  } catch {
    // A disk that fails by now takes nothing from the answer.
    return false;
  }
}
