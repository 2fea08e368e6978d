/**
 * Which changes below the folder of the workspace its logs explain: what the engine wrote while a stage ran (PACKET-106). All else that
 * changed there counts as a change of the stage.
 */
import { join, sep } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { readRegular } from "../../files/atomic.ts";
import { inspectFile } from "../../files/inspect.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { linesIn } from "../../log/lines_in.ts";
import { projectionsOf, SKELETON } from "../../projections/index.ts";
import { notesChanged } from "../../events/notes.changed.ts";
import type { Entity } from "../../state/entity.ts";
import { HUMAN_FILES } from "../../state/human_files.ts";
import type { HumanFile } from "../../state/human_files.ts";
import { namesOfOpen, openAttempts, PARTIAL, promptFile, STAGE_FILES } from "../../state/packet.ts";
import { BLOB_FOLDER, filesNamed } from "../commit/named_files.ts";
import type { ReadAccess, ReadModel } from "../entities/read_model.ts";
import { readEntity, wholeLog } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { isOverview, OVERVIEW } from "../projection/overview.ts";
import { changedDuring, runNames } from "./changed_terms.ts";
import { filesOfPacket } from "./named_by_events.ts";
import { hasGrownFrom } from "./log_ends.ts";
import type { LogEnd } from "./log_ends.ts";

const ENTITY_FILE = /^\.coco\/(?:tasks|archive)\/([^/]+)\/(.+)$/;

/** The plan or task of a folder, as its log says now. */
interface Known {
  folder: string;
  log: Buffer;
  texts: ReadonlyMap<string, string>;
  /** Whether an event of it changes what an attempt is judged by, and came during that attempt. */
  hasNewTerms: boolean;
  /** By path: digests of files that events name. */
  named: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files that an attempt without an end writes. */
  open: ReadonlySet<string>;
  /** Files of people, as the log had them before the stage. */
  people: ReadonlyMap<string, string>;
}

/** The logs of the workspace, as they are at one moment. */
export class ExplainedFiles {
  readonly #engine: ReadAccess;
  readonly #before: ReadonlyMap<string, LogEnd>;
  /** The task whose log the runner keeps, and puts back line by line. */
  readonly #kept: string;
  readonly #known = new Map<string, Known | undefined>();

  constructor(engine: ReadAccess, before: ReadonlyMap<string, LogEnd>, kept: string) {
    this.#engine = engine;
    this.#before = before;
    this.#kept = kept;
  }

  /** Whether a file is as the logs say, or is gone as they say. */
  has(path: string): boolean {
    if (path === OVERVIEW) return isOverview(this.#engine.reading(), this.#workspace);
    const { known, name, at } = this.#find(path);
    const { disk } = this.#engine.context;
    if (!known) return false;
    const isGone = unlessRefused(() => disk.lstat(at) === undefined) ?? false;
    if (!at.startsWith(`${known.folder}${sep}`)) return isGone;
    if (name === LOG_FILE) return !isGone && !known.hasNewTerms;
    const text = known.texts.get(name) ?? known.people.get(name);
    if (isGone) return text === undefined && !known.named.has(name);
    if (text !== undefined) return unlessRefused(() => readRegular(disk, at))?.equals(Buffer.from(text)) === true;
    if (known.open.has(name)) return true;
    const found = inspectFile(disk, known.folder, name);
    return found.state === "present" && known.named.get(name)?.has(found.sha256) === true;
  }

  /**
   * Whether a log has only got bytes at its end, and none that attempts are judged by (PACKET-382). A process that was killed may have left
   * half a line there.
   */
  isLonger(path: string): boolean {
    const { known, at } = this.#find(path);
    const before = this.#before.get(path);
    const log = unlessRefused(() => readRegular(this.#engine.context.disk, at));
    return before !== undefined && log !== undefined && hasGrownFrom(log, before) && known?.hasNewTerms !== true;
  }

  /** Whether bytes that git was given of a file are those of the file, or an earlier state of what the engine writes. Null: git has it no more. */
  isRecorded(path: string, bytes: Buffer | null): boolean {
    const { known, name, at } = this.#find(path);
    const { disk } = this.#engine.context;
    if (bytes === null) return unlessRefused(() => disk.lstat(at) === undefined) ?? false;
    if (known?.texts.has(name) || known?.open.has(name)) return true;
    const now = name === LOG_FILE ? known?.log : unlessRefused(() => readRegular(disk, at));
    return now !== undefined && (name === LOG_FILE ? now.subarray(0, bytes.length) : now).equals(bytes);
  }

  get #workspace(): string {
    return this.#engine.binding?.workspace ?? "";
  }

  #find(path: string): { known: Known | undefined; name: string; at: string } {
    const at = join(this.#engine.context.layout.root, path);
    const [, id = "", name = ""] = ENTITY_FILE.exec(path) ?? [];
    if (id === "") return { known: undefined, name, at };
    if (!this.#known.has(id)) this.#known.set(id, this.#read(id));
    return { known: this.#known.get(id), name, at };
  }

  /** Undefined where no log of ours is there, or more happened to it than that it grew. */
  #read(id: string): Known | undefined {
    try {
      const loaded = ownOf(this.#engine.reading(), this.#workspace, id);
      const log = loaded && wholeLog(this.#engine.context.disk, join(loaded.folder, LOG_FILE));
      return loaded && log && this.#explained(id, loaded, log);
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
      return undefined;
    }
  }

  #explained(id: string, loaded: LoadedEntity, log: Buffer): Known | undefined {
    const before = ["tasks", "archive"].flatMap((part) => this.#before.get(`.coco/${part}/${id}/${LOG_FILE}`) ?? []);
    const grown = before.find((end) => hasGrownFrom(log, end));
    if (before.length > 0 && !grown && id !== this.#kept) return undefined;
    const { report, events } = readEntity(log, () => true);
    const from = grown?.size ?? 0;
    if (report.moreProblems > 0 || report.problems.some(({ byte }) => byte >= from)) return undefined;
    const { entity } = loaded;
    if (!entity) return undefined;
    const changed = new Set<unknown>(
      linesIn(log.subarray(from)).flatMap(({ event }) =>
        event?.type === notesChanged.type ? [event.payload["file"]] : [],
      ),
    );
    const people = HUMAN_FILES.filter((file) => !changed.has(file)).map((file): [string, string] => [
      file,
      textOfPeople(entity, file),
    ]);
    const subject = loaded.subject(this.#workspace);
    return {
      folder: loaded.folder,
      log,
      hasNewTerms: changedDuring(events, grown ? startsIn(log.subarray(from), entity) : new Set(openRuns(entity))),
      texts: projectionsOf(subject),
      named: namedIn(entity, filesNamed(events)),
      open: new Set(openFiles(entity)),
      people: new Map(people),
    };
  }
}

/** Attempts by the events that began them. */
function startsIn(log: Buffer, { packet }: Entity): Set<string> {
  const runs = new Set(packet?.attempts.map(({ run }) => run));
  return new Set(
    linesIn(log).flatMap(({ event }) => {
      const names = event ? runNames(event) : [];
      return names.findLast((name) => runs.has(name)) ?? names.slice(0, 1);
    }),
  );
}

function openRuns({ packet }: Entity): string[] {
  return openAttempts(packet).map(({ run }) => run);
}

function textOfPeople({ people }: Entity, file: HumanFile): string {
  return people[file].content ?? SKELETON[file]!;
}

/** Captured bytes under their digests, and files of the packet where they lie now. */
function namedIn(
  { packet }: Entity,
  named: readonly { path: string; sha256: string }[],
): Map<string, ReadonlySet<string>> {
  const blobs = named.filter(({ path }) => path.startsWith(`${BLOB_FOLDER}/`));
  const found = new Map<string, Set<string>>();
  for (const { path, sha256 } of [...blobs, ...(packet ? filesOfPacket(packet) : [])])
    found.set(path, (found.get(path) ?? new Set()).add(sha256));
  return found;
}

function openFiles({ packet }: Entity): string[] {
  if (!packet) return [];
  return openAttempts(packet).flatMap((attempt) => [
    promptFile(attempt.stage),
    ...STAGE_FILES.flatMap((file) => namesOfOpen(packet, attempt, file).flatMap((name) => [name, `${name}${PARTIAL}`])),
  ]);
}

/** One that was deleted lies in the archive, and no reader finds it there. */
function ownOf({ entities, store }: ReadModel, workspace: string, id: string): LoadedEntity | undefined {
  const deleted = store.has(id) ? undefined : store.findArchived(id);
  if (deleted) return deleted.catchUp() && deleted.entity ? deleted : undefined;
  const { loaded, foreign } = entities.find(workspace, { id, from: "input" });
  return foreign ? undefined : loaded;
}
