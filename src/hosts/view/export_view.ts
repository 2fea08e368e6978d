/** The viewer as files: pages, and the answers of the interface under their names (views/viewer/api.ts says how pages find them). */
import type { Viewer } from "../../engine/open_viewer.ts";
import { requestOf } from "../../engine/viewer/answer_name.ts";
import { nodeDisks } from "../../disks.ts";
import { ExportFolder } from "../../engine/viewer/export_folder.ts";
import { FileTooLargeError, UnsafePathError } from "../../disk.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type {
  AgentsAnswer,
  Answer,
  BlobRef,
  EmbeddedData,
  EntityAnswer,
  EvidenceAnswer,
  EvidenceItem,
  HealthAnswer,
  OutputAnswer,
  WorkspaceAnswer,
} from "../../views/viewer/api.ts";
import { LIST_PAGE } from "../../views/viewer/api.ts";
import type { PageFile } from "./page_files.ts";
import { inlinePage, pageOfFiles, scriptText } from "./exported_page.ts";

export interface ExportOptions {
  viewer: Viewer;
  pages: ReadonlyMap<string, PageFile>;
  dir: string;
  /** Relative folders start here. */
  from: string;
  /** One entity, in one file. */
  only?: string | undefined;
  now: string;
  progress?: ((done: number, total: number) => void) | undefined;
  /** For tests. */
  room?: Room | undefined;
}

/** Characters of all pages of the past, and bytes of captured output. */
interface Room {
  past: number;
  output: number;
}

export interface ExportReport {
  path: string;
  /** Name of the page to open. */
  page: string;
  files: number;
  bytes: number;
  entities: number;
  /** Entities of which the past was left out, because it is too much. */
  without_past: number;
  /** Entities of which only the newest revisions have a page. */
  cut_past: number;
  /** Captured outputs that were left out: too much, not there any more, or not to be read. */
  without_output: number;
  /** Entities and outputs that could not be read, and why. */
  left_out: LeftOut[];
}

export interface LeftOut {
  id: string;
  what: "entity" | "output";
  code: string;
  message: string;
}

/** In a folder and in one file. */
const ROOM: Readonly<Record<"folder" | "file", Room>> = {
  folder: { past: 200 * 1024 * 1024, output: 100 * 1024 * 1024 },
  file: { past: 12 * 1024 * 1024, output: 8 * 1024 * 1024 },
};
/** Newest revisions of one entity that have a page. */
const MAX_REVISIONS = { folder: 100, file: 300 };

/** Captured bytes, and documents of one plan or task. */
const OTHER_NAME = /^(?:raw\/v1\/[^/]+\/[0-9a-f]{64}\.txt|[^/]+\.html)$/;

function isAnswer(file: string): boolean {
  const name = /^api\/v1\/(.+?\.json)(?:\.js)?$/.exec(file)?.[1];
  return name !== undefined && requestOf(name) !== undefined;
}

/** Captured bytes that were read, and are not written yet. */
interface Raw {
  name: string;
  write: () => void;
}

type Put = (name: string, answer: Answer) => void;

export async function exportView(options: ExportOptions): Promise<ExportReport> {
  const { viewer, pages, dir, from, only } = options;
  const index = pages.get("index.html");
  if (!index)
    throw new TaskfoldError("INVALID_INPUT", "Expected the built pages of the viewer in the package, found none.", {
      recovery: "Run npm run build in the clone of Taskfold, then export again.",
    });
  const canBeOurs = (name: string): boolean => pages.has(name) || OTHER_NAME.test(name) || isAnswer(name);
  const folder = new ExportFolder({ disks: nodeDisks(), coco: viewer.coco, dir, from, canBeOurs });
  try {
    await viewer.finishChecks();
    return await (only === undefined ? toFolder(options, folder) : toFile(options, folder, only));
  } finally {
    folder.close();
  }
}

async function toFolder(options: ExportOptions, folder: ExportFolder): Promise<ExportReport> {
  const { pages, viewer } = options;
  for (const { name, bytes } of pages.values())
    folder.write(name, name === "index.html" ? pageOfFiles(bytes.toString("utf8")) : bytes);
  const put: Put = (name, answer) => {
    const text = JSON.stringify(answer);
    folder.write(`api/v1/${name}`, text);
    folder.write(`api/v1/${name}.js`, scriptText(name, text));
  };
  const raw = (id: string, sha256: string): Raw => {
    const name = `raw/v1/${id}/${sha256}.txt`;
    const bytes = viewer.raw(id, sha256);
    return { name, write: () => folder.write(name, bytes) };
  };
  const exported = await new Exporter(options, put, raw).all();
  folder.finish();
  return { path: folder.path, page: "index.html", ...folder.written, ...exported };
}

async function toFile(options: ExportOptions, folder: ExportFolder, only: string): Promise<ExportReport> {
  const data: EmbeddedData = {};
  const put: Put = (name, answer) => (data[name] = answer);
  const exported = await new Exporter(options, put, () => null).all();
  const page = `${only}.html`;
  folder.write(page, inlinePage(options.pages, data));
  folder.finish();
  return { path: folder.path, page, ...folder.written, ...exported };
}

/** Puts every answer that an export holds. */
class Exporter {
  readonly #options: ExportOptions;
  readonly #put: Put;
  /** Reads captured bytes and says where they go; null where bytes are not written beside their text. */
  readonly #raw: (id: string, sha256: string) => Raw | null;
  readonly #room: Room;
  readonly #mostRevisions: number;
  #withoutPast = 0;
  #cutPast = 0;
  #withoutOutput = 0;
  readonly #leftOut: LeftOut[] = [];
  /** Answers of the entity that is read now: they are written once all of them are read. */
  #waiting: [name: string, answer: Answer][] = [];

  constructor(options: ExportOptions, put: Put, raw: (id: string, sha256: string) => Raw | null) {
    const form = options.only === undefined ? "folder" : "file";
    this.#options = options;
    this.#put = put;
    this.#raw = raw;
    this.#room = { ...(options.room ?? ROOM[form]) };
    this.#mostRevisions = MAX_REVISIONS[form];
  }

  async all(): Promise<Pick<ExportReport, "entities" | "without_past" | "cut_past" | "without_output" | "left_out">> {
    const { viewer, only, progress } = this.#options;
    if (only !== undefined) await viewer.mustBe(only);
    const workspace = await this.#answer<WorkspaceAnswer>("workspace.json");
    await this.#answer("status.json");
    await this.#pagesOf("board", 0, workspace.board_pages);
    await this.#answer("standings.json");
    const { pages } = await this.#answer<AgentsAnswer>("agents.json");
    await this.#pagesOf("agents", 1, pages);
    const { logs } = await this.#answer<HealthAnswer>("health.json");
    await this.#pagesOf("logs", 1, Math.ceil(logs.count / LIST_PAGE));
    const ids = await this.#ids();
    if (only === undefined)
      for (const { id, warning } of await viewer.unreadable())
        this.#leftOut.push({ id, what: "entity", code: warning.code, message: warning.message });
    const unread = this.#leftOut.length;
    for (const [i, id] of ids.entries()) {
      await this.#whole(id);
      progress?.(i + 1, ids.length);
    }
    return {
      entities: ids.length + unread - this.#leftOut.filter(({ what }) => what === "entity").length,
      without_past: this.#withoutPast,
      cut_past: this.#cutPast,
      without_output: this.#withoutOutput,
      left_out: this.#leftOut,
    };
  }

  /** Where others work meanwhile, the last page may be gone when its turn comes: the list is shorter by then. */
  async #pagesOf(list: string, from: number, to: number): Promise<void> {
    for (let page = from; page < to; page++) {
      try {
        await this.#answer(`${list}/${page}.json`);
      } catch (e) {
        if (page > 0 && isTaskfoldError(e) && e.code === "UNKNOWN_ID") return;
        throw e;
      }
    }
  }

  /** Those that changed last first: the past of the others is left out where it is too much. */
  async #ids(): Promise<string[]> {
    const { viewer, only } = this.#options;
    if (only !== undefined) return [only];
    const rows = await viewer.board();
    return rows.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1)).map(({ id }) => id);
  }

  /** An entity that cannot be read is left out, unless the export is about it alone. */
  async #whole(id: string): Promise<void> {
    this.#waiting = [];
    try {
      await this.#entity(id);
    } catch (e) {
      if (this.#options.only !== undefined) throw e;
      await this.#leaveOut(e, id, "entity");
      return;
    }
    for (const [name, answer] of this.#waiting) this.#put(name, answer);
  }

  /** Where the workspace itself cannot be read any more, the look at it fails the export. */
  async #leaveOut(e: unknown, id: string, what: LeftOut["what"]): Promise<void> {
    const isOfDisk = e instanceof FileTooLargeError || e instanceof UnsafePathError || errnoOf(e) !== undefined;
    if (!isTaskfoldError(e) && !isOfDisk) throw e;
    await this.#options.viewer.lookAgain();
    const { code, message } = storageError(e, what === "entity" ? `read ${id}` : `read an output of ${id}`);
    this.#leftOut.push({ id, what, code, message });
  }

  #later(name: string, answer: Answer): void {
    this.#waiting.push([name, answer]);
  }

  async #entity(id: string): Promise<void> {
    const answer = await this.#read<EntityAnswer>(`entities/${id}.json`);
    const blobs = new Map<string, BlobRef>();
    const pages: EvidenceAnswer[] = [];
    for (let page = 0; page < answer.available.evidence_pages; page++) {
      const evidence = await this.#read<EvidenceAnswer>(`entities/${id}/evidence/${page}.json`);
      await this.#outputs(id, evidence.evidence.flatMap(blobsOf), blobs);
      pages.push(evidence);
    }
    await this.#outputs(id, filesOf(answer.packet), blobs);
    const past = await this.#past(id, answer, blobs);
    const available = { ...answer.available, revisions: past };
    this.#later(`entities/${id}.json`, withBlobs({ ...answer, available }, blobs));
    for (const page of pages) this.#later(`entities/${id}/evidence/${page.page}.json`, withEvidence(page, blobs));
    for (let page = 0; page < available.history_pages; page++) await this.#held(`entities/${id}/history/${page}.json`);
    await this.#lists(id, answer);
    await this.#held(`entities/${id}/check.json`);
    if (available.graph) await this.#held(`plans/${id}/graph.json`);
  }

  /** Of a list that the page holds whole there are no pages of its own. */
  async #lists(id: string, answer: EntityAnswer): Promise<void> {
    for (const list of ["notes", "cards", "trace"] as const) {
      const total = answer[`${list}_total`];
      // The whole of the other lists comes from a reading of the past.
      if (total === answer[list].length || (list !== "cards" && hasNoHistory(answer))) continue;
      for (let page = 0; page * LIST_PAGE < total; page++) await this.#held(`entities/${id}/${list}/${page}.json`);
    }
  }

  async #past(
    id: string,
    present: EntityAnswer,
    blobs: ReadonlyMap<string, BlobRef>,
  ): Promise<EntityAnswer["available"]["revisions"]> {
    const { available } = present;
    const { revisions } = available;
    if (hasNoHistory(present) || (revisions && this.#room.past <= 0)) {
      this.#withoutPast++;
      return null;
    }
    if (!revisions) return null;
    const from = Math.max(revisions.from, revisions.to - this.#mostRevisions + 1);
    const answers = await this.#options.viewer.revisions(id, from, revisions.to);
    const kept = { from, to: revisions.to };
    for (const [revision, answer] of [...answers].sort(([a], [b]) => b - a)) {
      if (this.#room.past <= 0) break;
      kept.from = revision;
      const page = withBlobs({ ...answer, available: { ...available, revisions: kept } }, blobs);
      this.#room.past -= JSON.stringify(page).length;
      this.#later(`entities/${id}/revisions/${revision}.json`, page);
    }
    if (kept.from > revisions.from) this.#cutPast++;
    return kept;
  }

  async #outputs(id: string, named: readonly BlobRef[], blobs: Map<string, BlobRef>): Promise<void> {
    for (const blob of named) {
      if (blobs.has(blob.sha256)) continue;
      const fits = blob.size !== null && blob.size <= this.#room.output;
      const held = fits ? await this.#output(id, blob) : undefined;
      if (!held) this.#withoutOutput++;
      blobs.set(blob.sha256, held ?? { ...blob, pages: 0, raw: null });
    }
  }

  /** Undefined where the bytes cannot be read, or are not those that were captured. */
  async #output(id: string, blob: BlobRef): Promise<BlobRef | undefined> {
    const name = (page: number): string => `entities/${id}/output/${blob.sha256}/${page}.json`;
    const answers: OutputAnswer[] = [];
    let raw: Raw | null;
    try {
      const first = await this.#read<OutputAnswer>(name(0));
      answers.push(first);
      for (let page = 1; page < first.pages; page++) answers.push(await this.#read<OutputAnswer>(name(page)));
      raw = this.#raw(id, blob.sha256);
    } catch (e) {
      await this.#leaveOut(e, id, "output");
      return undefined;
    }
    this.#room.output -= blob.size ?? 0;
    for (const answer of answers) this.#put(name(answer.page), answer);
    raw?.write();
    return { ...blob, pages: answers.length, raw: raw && raw.name };
  }

  async #held(name: string): Promise<void> {
    this.#later(name, await this.#read(name));
  }

  async #read<A extends Answer>(name: string): Promise<A> {
    const { viewer, now, only = null } = this.#options;
    const { body } = await viewer.answer(name, { exported_at: now, only });
    return JSON.parse(await body()) as A;
  }

  async #answer<A extends Answer>(name: string): Promise<A> {
    const answer = await this.#read<A>(name);
    this.#put(name, answer);
    return answer;
  }
}

/** Its log is longer than a reader holds at once. */
function hasNoHistory({ available }: EntityAnswer): boolean {
  return available.history_pages === 0;
}

function blobsOf({ runs, artifacts }: EvidenceItem): BlobRef[] {
  return [...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...artifacts].filter((blob) => blob !== null);
}

function filesOf(packet: EntityAnswer["packet"]): BlobRef[] {
  const files = packet?.stages.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.files)) ?? [];
  return files.flatMap(({ blob }) => blob ?? []);
}

/** With every reference to captured bytes as the export holds them. */
function withBlobs(answer: EntityAnswer, blobs: ReadonlyMap<string, BlobRef>): EntityAnswer {
  const { packet } = answer;
  const stages = packet?.stages.map((stage) => ({
    ...stage,
    attempts: stage.attempts.map((attempt) => ({
      ...attempt,
      files: attempt.files.map((file) => ({ ...file, blob: heldBlob(file.blob, blobs) })),
    })),
  }));
  return { ...withEvidence(answer, blobs), packet: packet && { ...packet, stages: stages! } };
}

function heldBlob(blob: BlobRef | null, blobs: ReadonlyMap<string, BlobRef>): BlobRef | null {
  return blob && (blobs.get(blob.sha256) ?? { ...blob, pages: 0, raw: null });
}

function withEvidence<A extends { evidence: EvidenceItem[] }>(answer: A, blobs: ReadonlyMap<string, BlobRef>): A {
  const of = (blob: BlobRef | null): BlobRef | null => heldBlob(blob, blobs);
  const evidence = answer.evidence.map((item) => ({
    ...item,
    runs: item.runs.map((run) => ({ ...run, stdout: of(run.stdout), stderr: of(run.stderr) })),
    artifacts: item.artifacts.map((blob) => of(blob)!),
  }));
  return { ...answer, evidence };
}
