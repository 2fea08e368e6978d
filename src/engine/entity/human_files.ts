/**
 * People's files (DIR-24). They are read in by the next write, as an op of the engine's own before the
 * caller's. While a file does not change, a write costs one lstat for it. A read may look, and changes nothing.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { notesChanged } from "../../events/notes.changed.ts";
import { same } from "../../files/file_sign.ts";
import { inspectFile } from "../../files/inspect.ts";
import { isPointerLine } from "../../log/line.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { SKELETON } from "../../projections/skeleton.ts";
import type { Entity } from "../../state/entity.ts";
import { LIMITS } from "../../state/limits.ts";
import type { HumanFile } from "../../state/human_files.ts";
import { HUMAN_FILES } from "../../state/human_files.ts";
import { systemOp } from "./system_op.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import type { Job } from "./job.ts";
import type { EngineContext } from "../core/context.ts";

/** The result of a look at a file: its text with LF and its digest, why it was not read, or nothing at all. */
type Look = { content: string; sha256: string } | { fault: Warning } | null;

/** Of a file that does not change, its digest is remembered and not its text. */
type Known = { stat: FileStat; sha256: string } | { stat: FileStat; fault: Warning };

/** One file of an entity, and what is known of it. */
interface Watched {
  file: HumanFile;
  path: string;
  known: Known | null;
}

/** Coco begins every folder with this text; no person wrote it. */
const COCO_NOTES = "# Human Notes\n\n- 在这里记录人工补充、约束与纠错。\n";

const BASELINES: Readonly<Record<HumanFile, readonly string[]>> = {
  "shared/human-notes.md": [SKELETON["shared/human-notes.md"]!, COCO_NOTES].map(digestOf),
  "shared/context-manifest.yaml": [SKELETON["shared/context-manifest.yaml"]!].map(digestOf),
};

export class HumanFiles {
  readonly #context: EngineContext;
  readonly #watched = new WeakMap<LoadedEntity, Watched[]>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** The op that reads in what people wrote, if they did, and what the callers of this write should know. */
  ingest(loaded: LoadedEntity, workspace: string): { job: Job | undefined; warnings: Warning[] } {
    const { drafts, warnings } = this.news(loaded);
    return { job: drafts.length === 0 ? undefined : systemOp(workspace, drafts), warnings };
  }

  /** Edits of people that the log does not have, with warnings for those that cannot be read in. */
  news(loaded: LoadedEntity): { drafts: Draft[]; warnings: Warning[] } {
    const warnings: Warning[] = [];
    const drafts: Draft[] = [];
    for (const watched of this.#of(loaded)) {
      const look = this.#look(loaded, watched);
      if (!look) continue;
      const { file } = watched;
      if ("fault" in look) {
        warnings.push(look.fault);
        continue;
      }
      const { content, sha256 } = look;
      drafts.push(notesChanged.draft({ file, content, sha256, message: `A person changed ${file}.` }));
      warnings.push({
        code: "NOTES_CHANGED",
        message: `A person changed ${file}; it was read into the log just before this change.`,
        recovery: `Read ${file} in the folder of ${loaded.id}.`,
      });
    }
    return { drafts, warnings };
  }

  /** Files in which people wrote what no write has read in yet. */
  unread(loaded: LoadedEntity): HumanFile[] {
    const isUnread = (watched: Watched): boolean => {
      const look = this.#look(loaded, watched);
      return look !== null && "content" in look;
    };
    return this.#of(loaded).flatMap((watched) => (isUnread(watched) ? [watched.file] : []));
  }

  #of(loaded: LoadedEntity): Watched[] {
    let watched = this.#watched.get(loaded);
    if (!watched) {
      watched = HUMAN_FILES.map((file) => ({ file, path: `${loaded.folder}/${file}`, known: null }));
      this.#watched.set(loaded, watched);
    }
    return watched;
  }

  /** Null when there is nothing new; a file that is not there is restored by the projections. */
  #look(loaded: LoadedEntity, watched: Watched): Look {
    const { entity } = loaded;
    const { file, path, known } = watched;
    const stat = statOf(this.#context.disk, path);
    if (!stat || !entity) return null;
    if (known && same(known.stat, stat)) {
      if ("fault" in known) return known;
      if (!isNews(entity, file, known.sha256)) return null;
    }
    const look = readHumanFile(this.#context.disk, loaded, file);
    if (!look) return null;
    if ("fault" in look) {
      watched.known = { stat, fault: look.fault };
      return look;
    }
    watched.known = { stat, sha256: look.sha256 };
    return isNews(entity, file, look.sha256) ? look : null;
  }
}

/** Reads one file, without following a link; null when it is not there. */
export function readHumanFile(disk: Disk, loaded: LoadedEntity, file: HumanFile): Look {
  const path = join(loaded.folder, file);
  const notRead = (why: string): Look => ({
    fault: { code: "NOTES_NOT_READ", message: `${file} of ${loaded.id} was not read into the log: ${why}.` },
  });
  try {
    const found = inspectFile(disk, loaded.folder, file);
    if (found.state === "missing") return null;
    if (found.state === "unsafe") return notRead(found.why);
    if (found.size > LIMITS.textBytes)
      return notRead(`it has ${found.size} bytes, at most ${LIMITS.textBytes} are read`);
    const content = textOf(disk.readFile(path));
    if (content === undefined) return notRead("it is not UTF-8");
    if (isPointerLine(content.slice(0, content.indexOf("\n"))))
      return notRead("it is a pointer of Git LFS, and git lfs pull brings its text");
    if (!hasMarkers(content)) return { content, sha256: digestOf(content) };
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === undefined) throw e;
    return notRead(`the system said ${errno}`);
  }
  return {
    fault: {
      code: "NOTES_CONFLICT_MARKERS",
      message: `${file} of ${loaded.id} holds conflict markers and was not read into the log.`,
      recovery: "Put the text right and take the markers out; the next change reads it in.",
    },
  };
}

/** Whether a text is one that folders begin with, by the digest of it. */
export function isBaseline(file: HumanFile, sha256: string): boolean {
  return BASELINES[file].includes(sha256);
}

/** While two branches disagree about a file, the text on disk decides, also when it is one side's text. */
function isNews(entity: Entity, file: HumanFile, sha256: string): boolean {
  const { $, sha256: known } = entity.people[file];
  const same = known === null ? isBaseline(file, sha256) : sha256 === known;
  return !same || entity.conflicts.has(`${$}sha256`);
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch (e) {
    if (e instanceof TypeError) return undefined;
    throw e;
  }
}

/** Both ends of what git writes; a line of `=` alone underlines a heading. */
export function hasMarkers(text: string): boolean {
  return /^<{7}(?: |$)/m.test(text) && /^>{7}(?: |$)/m.test(text);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A file that may not be looked at counts as absent: restoring it will say why. */
function statOf(disk: Disk, path: string): FileStat | undefined {
  return unlessRefused(() => disk.lstat(path));
}
