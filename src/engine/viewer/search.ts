/** `search/{text}.json`: what `taskfold search` finds, and actors by their names (VIEWER-5). */
import type { WholeResults } from "../../tools/generated/tool_types.ts";
import type { Searched, SearchedTexts } from "../../tools/tasks_search.ts";
import { searchOver } from "../../tools/tasks_search.ts";
import { actorsIn } from "../../views/viewer/actors_in.ts";
import { API_VERSION, SEARCH_ROWS } from "../../views/viewer/api.ts";
import type { BoardRow, SearchAnswer } from "../../views/viewer/api.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { HumanFiles } from "../entity/human_files.ts";
import { readAnswer } from "../query/read.ts";

interface Source {
  reading: () => ReadModel;
  people: HumanFiles;
  /** Id of the workspace, "" while the root is not bound. */
  id: () => string;
  by: string;
}

type Found = WholeResults["tasks_search"]["tasks"][number];

interface Kept extends Searched {
  head: string;
}

/** Characters that are kept: texts beyond them are read for each search. */
const MAX_KEPT = 64 * 1024 * 1024;

export class SearchAnswers {
  readonly #source: Source;
  /** By id, as of the head that the board had then. */
  readonly #kept = new Map<string, Kept>();
  #keptLength = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `rows`: of the board, whose actors are looked through too. */
  answer(text: string, rows: readonly BoardRow[]): SearchAnswer {
    const { reading, people, id, by } = this.#source;
    const caller = { by, agentInstance: undefined, turnId: undefined };
    const call = { tool: searchOver(this.#textsOf(rows)), input: { text }, workspace: id(), caller };
    const whole = readAnswer(reading(), people, call).result as unknown as WholeResults["tasks_search"];
    const kinds = new Map(rows.map((row) => [row.id, row.kind]));
    const tasks = whole.tasks.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
    return {
      api: API_VERSION,
      text,
      agents: actorsIn(rows, text).slice(0, SEARCH_ROWS),
      rows: tasks
        .slice(0, SEARCH_ROWS)
        .map(({ id, title, status, found }) => ({ id, kind: kinds.get(id) ?? null, title, status, found })),
      total: tasks.length,
      searched: rows.filter(({ archived }) => !archived).length,
      archived: whole.archived,
    };
  }

  /** A row of another head has another text. Only a log has heads: a folder of another program is read each time. */
  #textsOf(rows: readonly BoardRow[]): SearchedTexts {
    const heads = new Map(rows.flatMap(({ id, head, source }) => (source === "log" ? [[id, head]] : [])));
    for (const [id, { head }] of this.#kept) if (heads.get(id) !== head) this.#forget(id);
    return {
      get: (id) => this.#kept.get(id),
      set: (id, searched) => {
        const head = heads.get(id);
        if (head === undefined || this.#keptLength + lengthOf(searched) > MAX_KEPT) return;
        this.#kept.set(id, { ...searched, head });
        this.#keptLength += lengthOf(searched);
      },
    };
  }

  #forget(id: string): void {
    const kept = this.#kept.get(id);
    if (kept) this.#keptLength -= lengthOf(kept);
    this.#kept.delete(id);
  }
}

function lengthOf({ places }: Searched): number {
  return places.reduce((sum, { text }) => sum + text.length, 0);
}

/** A reader who types words of a title wants that task before those that mention them. */
function isNamed({ found: [first] }: Found): boolean {
  return first?.where === "id" || first?.where === "title";
}
