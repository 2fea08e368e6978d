/** Each answer of the viewer by what it asks for (answer_name.ts), and the sign of all that it depends on. */
import { differenceOf } from "../../views/viewer/difference.ts";
import { API_VERSION } from "../../views/viewer/api.ts";
import type { Answer, EntityAnswer } from "../../views/viewer/api.ts";
import type { EngineContext } from "../core/context.ts";
import type { Found } from "../entities/entities.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { AnswerRequest } from "./answer_name.ts";
import { blobBytes, bytesSign, OutputTexts } from "./blobs.ts";
import type { Board } from "./board.ts";
import type { ExportNote } from "./export_note.ts";
import { checkPage } from "./check_page.ts";
import { blobFolderOf } from "./page_around.ts";
import { findPage, presentPage } from "./pages.ts";
import type { OtherRows } from "./pages.ts";
import { Past } from "./past.ts";
import type { SearchAnswers } from "./search.ts";
import type { StatusAnswers } from "./status.ts";
import { TreeNow } from "./tree_now.ts";
import { noAnswer } from "./workspace_answers.ts";
import type { WorkspaceAnswers } from "./workspace_answers.ts";

/** Characters of a time up to its minutes. */
const TO_THE_MINUTE = "2026-01-01T00:00".length;

interface Source {
  context: EngineContext;
  /** Accepted transactions count before their logs have them. */
  reading: () => ReadModel;
  /** Id of the workspace, "" while the root is not bound. */
  id: () => string;
  board: Board;
  workspace: WorkspaceAnswers;
  status: StatusAnswers;
  search: SearchAnswers;
  /** Asked on the page of one plan or task alone. */
  git: EngineContext["git"];
}

export class Answers {
  readonly #context: EngineContext;
  readonly #reading: () => ReadModel;
  readonly #board: Board;
  readonly #workspace: WorkspaceAnswers;
  readonly #status: StatusAnswers;
  readonly #search: SearchAnswers;
  readonly #id: () => string;
  readonly #past = new Past();
  readonly #tree: TreeNow | undefined;
  readonly #outputs = new OutputTexts();

  constructor({ context, reading, id, board, workspace, status, search, git }: Source) {
    this.#context = context;
    this.#reading = reading;
    this.#board = board;
    this.#workspace = workspace;
    this.#status = status;
    this.#search = search;
    this.#id = id;
    const { disk, runtime } = context;
    this.#tree = git && new TreeNow({ disk, runtime, git });
  }

  /** Returns a sign of all that the answer depends on; null where only the answer tells. */
  tag(request: AnswerRequest): string | null {
    const { now, rows } = this.#board;
    switch (request.what) {
      case "board":
      case "workspace":
        return this.#board.sign(now);
      case "graph":
      case "search":
        return this.#board.presentSign(now);
      case "standings":
      case "agents":
        // Lanes reach to the present while work lasts, and leave out acts that a wrong clock dated after it.
        return `${this.#board.presentSign(now)} ${now.slice(0, TO_THE_MINUTE)}`;
      case "entity":
        return `${this.#board.presentSign(now)} ${this.#bytesSign(request.id)}`;
      case "revision":
        // It names what its task waited for as that is called now, so it changes with other logs too.
        return `${rows.stamp} ${this.#bytesSign(request.id)}`;
      case "difference":
      case "history":
      case "list": {
        const head = rows.find(request.id)?.own?.row.head ?? "";
        return `${head === "" ? this.#board.presentSign(now) : head} ${this.#bytesSign(request.id)}`;
      }
      case "output":
      case "status":
      case "check":
      case "health":
      case "logs":
        return null;
    }
  }

  make(request: AnswerRequest, note: ExportNote): Answer | Promise<Answer> {
    switch (request.what) {
      case "workspace":
        return this.#workspace.workspace(note);
      case "status":
        return this.#status.answer(note);
      case "board":
        return this.#workspace.board(request.page, note);
      case "standings":
        return this.#workspace.standings(note);
      case "agents":
        return this.#workspace.agents(request.page, note);
      case "logs":
        return this.#workspace.logs(request.page, note);
      case "health":
        return this.#workspace.health(note);
      case "search":
        return this.#search.answer(request.text, this.#board.all(this.#board.now));
      case "graph":
        return this.#workspace.graph(request.id);
      default:
        return this.#ofEntity(request);
    }
  }

  /** UNKNOWN_ID where there is no such plan or task. */
  mustBe(id: string): void {
    this.#find(this.#reading(), id);
  }

  /** Captured bytes, whole. */
  raw(id: string, digest: string): Buffer {
    const from = this.#reading();
    return blobBytes(blobFolderOf(from, this.#find(from, id).loaded), digest);
  }

  /** Pages of one entity as of these revisions, by one reading of its log. */
  revisions(id: string, first: number, last: number): Map<number, EntityAnswer> {
    const from = this.#reading();
    const answers = new Map<number, EntityAnswer>();
    this.#past.between(from, this.#find(from, id), first, last, (answer) => answers.set(answer.revision, answer));
    return answers;
  }

  #ofEntity(request: Exclude<Extract<AnswerRequest, { id: string }>, { what: "graph" }>): Answer {
    const from = this.#reading();
    const found = this.#find(from, request.id);
    switch (request.what) {
      case "entity":
        return presentPage(from, found, { others: this.#others(), addresses: this.#past.addresses(found) });
      case "revision":
        return this.#past.at(from, found, request.revision);
      case "difference": {
        const [before, after] = [request.from, request.to].map((revision) => this.#past.at(from, found, revision));
        return { api: API_VERSION, id: found.loaded.id, ...differenceOf(before!, after!) } as Answer;
      }
      case "history":
        return this.#past.history(found, request.page);
      case "list":
        return this.#past.list(from, found, request.list, request.page, request.revision);
      case "check":
        return this.#check(from, found);
      case "output": {
        const folder = blobFolderOf(from, found.loaded);
        return this.#outputs.page(folder, request.sha256, request.page);
      }
    }
  }

  #check(from: ReadModel, found: Found): Answer {
    const folder = this.#board.rows.find(found.loaded.id);
    if (!folder) throw noAnswer(found.loaded.id);
    const staleness = this.#tree?.staleness(found.loaded.folder);
    return checkPage(from, found, this.#board.checks.checkNow(folder), staleness);
  }

  #find(from: ReadModel, id: string): Found {
    return findPage(from, id, this.#id());
  }

  #others(): OtherRows {
    const { rows, now } = this.#board;
    const own = [...rows.folders.values()].flatMap((folder) => folder.own ?? []);
    return {
      tasksOf: (id) => this.#board.all(now).filter(({ plan, deleted }) => plan === id && !deleted),
      neededBy: (root) => own.filter((one) => !one.row.deleted && one.depends_on.some((ref) => ref.root === root)),
      ownOf: (id) => rows.find(id)?.own ?? undefined,
    };
  }

  #bytesSign(id: string): string {
    const place = this.#board.rows.find(id)?.place;
    return place ? bytesSign(this.#context, place) : "";
  }
}
