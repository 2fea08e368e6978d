/** `taskdoc` of a workspace: the Taskdoc of a plan or task. */
import type { AdoptEditsOptions, AdoptEditsReport } from "../adoption/adopt_edits.ts";
import { adoptTaskdocEdits } from "../adoption/adopt_edits.ts";
import type { ImportTaskdocOptions, ImportTaskdocReport } from "../adoption/import_taskdoc.ts";
import { importMarkdownTaskdoc } from "../adoption/import_taskdoc.ts";
import { checkBy } from "../core/input/check_by.ts";
import { mustBeText } from "../core/input/must_be_text.ts";
import type {
  EffectiveTaskdocOf,
  EffectiveTaskdocOptions,
  TaskdocAudit,
  TaskdocHistoryPage,
  TaskdocHistoryQuery,
} from "../query/taskdoc.ts";
import { renderEffectiveTaskdoc, taskdocAudit, taskdocHistory } from "../query/taskdoc.ts";
import type { OpenWorkspace } from "./open.ts";
import { coded, codedLater } from "./open.ts";

export class WorkspaceTaskdoc {
  readonly #open: OpenWorkspace;

  /** @internal */
  constructor(open: OpenWorkspace) {
    this.#open = open;
  }

  /**
   * The Taskdoc of a plan or task as it is put before agents: its text, its sections and the index of the others. It
   * also has the entries of its package that do not belong there. Reads; the text depends on the log alone.
   */
  render(id: string, options: EffectiveTaskdocOptions = {}): EffectiveTaskdocOf {
    this.#open.check(id);
    return coded("render the Taskdoc", () => renderEffectiveTaskdoc(this.#open.engine, id, options));
  }

  /** Per section of a Taskdoc: first and last change with who and when, how often, digests. */
  audit(id: string): TaskdocAudit {
    this.#open.check(id);
    return coded("read the Taskdoc", () => taskdocAudit(this.#open.engine, id));
  }

  /** Every text that a Taskdoc, or one section of it, ever had, newest first, a page at a time. */
  history(id: string, query: TaskdocHistoryQuery = {}): TaskdocHistoryPage {
    this.#open.check(id);
    return coded("read the history of the Taskdoc", () => taskdocHistory(this.#open.engine, id, query));
  }

  /** Takes edits that a person made in the files of a Taskdoc into the log, as a change by that person (`by`). */
  async adoptEdits(
    id: string,
    { by = this.#open.by, ...options }: AdoptEditsOptions & { by?: string } = {},
  ): Promise<AdoptEditsReport> {
    this.#open.check(id);
    checkBy(by);
    const work = () => adoptTaskdocEdits(this.#open.engine, id, { by }, options);
    return codedLater("take in the edits of the Taskdoc", this.#open.called(work));
  }

  /**
   * Takes a Taskdoc of the old form, one Markdown file, into the log: one event for each section that it fills, all in one change.
   * `file` is absolute or from the root. Fills only what is empty (TASKDOC_NOT_EMPTY), leaves the file, may be called again.
   */
  async importMarkdown(
    id: string,
    file: string,
    { by = this.#open.by, ...options }: ImportTaskdocOptions & { by?: string } = {},
  ): Promise<ImportTaskdocReport> {
    this.#open.check(id);
    mustBeText("file", file);
    checkBy(by);
    const work = () => importMarkdownTaskdoc(this.#open.engine, id, file, { by }, options);
    return codedLater("take in the Taskdoc", this.#open.called(work));
  }
}
