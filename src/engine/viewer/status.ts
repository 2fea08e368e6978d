/** `status.json`: what `tasks_status` answers, with the command line that ends each need (VIEWER-150). */
import { holdsFor } from "../../files/look_again.ts";
import type { statusLook } from "../../tools/status_look.ts";
import { statusSentences } from "../../tools/tasks_status.ts";
import { API_VERSION } from "../../views/viewer/api.ts";
import type { BoardRow, NeedItem, StatusAnswer } from "../../views/viewer/api.ts";
import type { EngineContext } from "../core/context.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { HumanFiles } from "../entity/human_files.ts";
import { changedByHand } from "../projection/changed_by_hand.ts";
import { readAnswer } from "../query/read.ts";
import type { Board } from "./board.ts";
import type { ExportNote } from "./export_note.ts";

/** A call as a line for a shell. `workspace`: the id that the root is bound to. */
export type CommandLine = (call: NonNullable<NeedItem["call"]>, workspace: string) => string;

interface Source {
  /** Accepted transactions count before their logs have them. */
  reading: () => ReadModel;
  people: HumanFiles;
  /** Id of the workspace, "" while the root is not bound. */
  id: () => string;
  board: Board;
  /** Of an export of one plan or task those that it names. */
  rowsFor: (note: ExportNote) => readonly BoardRow[];
  git: EngineContext["git"];
  by: string;
  commandLine: CommandLine | undefined;
}

type Whole = ReturnType<typeof statusLook>;

interface Made {
  whole: Whole;
  /** Of the rows that it was made with. */
  sign: string;
  /** By the clock that only goes on. */
  until: number;
}

/** Before every change: the page of a reader who was away for long begins with the newest. */
const SINCE_EVER = "1970-01-01";

export class StatusAnswers {
  readonly #source: Source;
  #made: Made | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  answer(note: ExportNote): StatusAnswer {
    const { commandLine, id, board, rowsFor } = this.#source;
    const whole = this.#now();
    const named = note.only === null ? undefined : new Set(rowsFor(note).map((row) => row.id));
    const isNamed = ({ task }: { task: string }): boolean => named?.has(task) ?? true;
    const needs = whole.needs_you.filter(isNamed);
    return {
      api: API_VERSION,
      stamp: board.rows.stamp,
      now: whole.now,
      needs_you: needs.map((need) => ({
        ...need,
        command: need.command ?? (need.call && commandLine?.(need.call, id())) ?? null,
      })),
      happened: whole.changes.filter(isNamed),
      happened_more: whole.happened_more,
      unseen: named ? NONE_UNSEEN : whole.unseen,
    };
  }

  /** A look holds for twice as long as it took, unless a row changed: it compares files and asks git. */
  #now(): Whole {
    const { reading, board } = this.#source;
    const { runtime } = reading().context;
    const sign = board.presentSign(board.now);
    const began = runtime.uptime();
    const before = this.#made;
    if (before?.sign === sign && began < before.until) return before.whole;
    const found = this.#read();
    const isAsBefore = before !== undefined && textOf(before.whole) === textOf(found);
    const whole = isAsBefore ? before.whole : found;
    this.#made = { whole, sign, until: runtime.uptime() + holdsFor("rows", runtime.uptime() - began) };
    return whole;
  }

  #read(): Whole {
    const { reading, people, id, git, by } = this.#source;
    const { context, store, entities, bases, listing } = reading();
    const from = { context: git ? { ...context, git } : context, store, entities, bases, listing };
    const caller = { by, agentInstance: undefined, turnId: undefined };
    const input = { since: SINCE_EVER };
    const call = { tool: statusSentences, input, workspace: id(), caller };
    return readAnswer(from, people, call, changedByHand).result as unknown as Whole;
  }
}

/** A page of one plan or task says nothing of the others. */
const NONE_UNSEEN = { plans: 0, tasks: 0, ended: 0, archived: 0 };

/** The moment aside: the same answer stays the same text. */
function textOf(whole: Whole): string {
  return JSON.stringify({ ...whole, now: "" });
}
