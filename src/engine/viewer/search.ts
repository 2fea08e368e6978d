/** `search/{text}.json`: what `taskfold search` finds, and actors by their names (VIEWER-152). */
import type { WholeResults } from "../../tools/generated/tool_types.ts";
import { wholeSearch } from "../../tools/tasks_search.ts";
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

export class SearchAnswers {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `rows`: of the board, whose actors are looked through too. */
  answer(text: string, rows: readonly BoardRow[]): SearchAnswer {
    const { reading, people, id, by } = this.#source;
    const caller = { by, agentInstance: undefined, turnId: undefined };
    const call = { tool: wholeSearch, input: { text }, workspace: id(), caller };
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
}

/** A reader who types words of a title wants that task before those that mention them. */
function isNamed({ found: [first] }: Found): boolean {
  return first?.where === "id" || first?.where === "title";
}
