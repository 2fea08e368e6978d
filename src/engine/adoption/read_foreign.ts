/** Reads what adoption takes of a folder that another program keeps. Follows no link, and changes nothing. */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Yaml from "yaml";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { evidenceEntry } from "../../events/adopted.ts";
import { shapeOf } from "../../events/shape.ts";
import type { CocoTask, Extra } from "../../files/coco_task_file.ts";
import { readWholeCocoTaskFile } from "../../files/coco_task_file.ts";
import { inspectFile } from "../../files/inspect.ts";
import { INDEX_FILE, TASK_FILE } from "../../files/layout.ts";
import { utcNanos } from "../../log/rfc3339.ts";
import type { EvidenceEntry } from "../../state/evidence.ts";
import { isOwnEvidenceId } from "../../state/evidence.ts";
import type { ForeignFolder } from "../../state/foreign_entity.ts";
import { HUMAN_FILES } from "../../state/human_files.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { isBaseline, readHumanFile } from "../entity/human_files.ts";
import { keptName, keptTexts } from "../core/quarantine.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import type { EngineContext } from "../core/context.ts";

/** Most bytes of one file that are read: what is taken in has to fit one line of the log. */
const MAX_BYTES = 1024 * 1024;
/** Stands in where nothing tells a time. */
const NO_TIME = "1970-01-01T00:00:00.000000000Z";

const isEntry = shapeOf(evidenceEntry);

/** LOG_UNREADABLE names what is wrong with a file; a file that is not there is not an error. */
export function readForeignFolder(context: EngineContext, loaded: LoadedEntity): ForeignFolder {
  const people = HUMAN_FILES.flatMap((file) => {
    const found = readHumanFile(context.disk, loaded, file);
    return found && "content" in found && !isBaseline(file, found.sha256) ? [{ file, ...found }] : [];
  });
  const texts = { task: readText(context, loaded, TASK_FILE), index: readText(context, loaded, INDEX_FILE) };
  return { ...folderOf(loaded, texts), people };
}

/**
 * Versions of another program's files that a write of ours set aside and no adoption has taken in, oldest first
 * (ADOPT-50). A file that cannot be read as such was put there by a person, and stays where it is.
 */
export function readKeptVersions(context: EngineContext, loaded: LoadedEntity): ForeignFolder[] {
  const kept = (file: string, part: "task" | "index"): ForeignFolder[] =>
    keptTexts(context, keptName(loaded.id, file)).flatMap((text) => readable(loaded, { [part]: withLf(text) }));
  const since = loaded.entity?.taken_until ?? "";
  const tasks = kept(TASK_FILE, "task").filter(({ task, updated }) => task?.id === loaded.id && updated > since);
  const indexes = kept(INDEX_FILE, "index").map((one) => ({
    ...one,
    evidence: one.evidence.filter((entry) => !isOwnEvidenceId(entry.id)),
  }));
  return [...tasks.toSorted((a, b) => (a.updated < b.updated ? -1 : 1)), ...indexes];
}

function readable(loaded: LoadedEntity, texts: Texts): ForeignFolder[] {
  try {
    return [folderOf(loaded, texts)];
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return [];
  }
}

/** Texts of task.yaml and of the evidence index, with LF. */
interface Texts {
  task?: string | undefined;
  index?: string | undefined;
}

function folderOf({ report }: LoadedEntity, { task: taskText, index: indexText }: Texts): ForeignFolder {
  const { task, extra } =
    taskText === undefined || rendererOf(taskText) > 0 ? { task: undefined, extra: [] } : readTask(taskText);
  const updated = utc(task?.updatedAt) ?? utc(task?.createdAt) ?? report.foreign.at(-1)?.ts ?? NO_TIME;
  return {
    task,
    extra,
    updated,
    created: utc(task?.createdAt) ?? updated,
    evidence: indexText === undefined ? [] : readIndex(indexText),
    people: [],
    files: [
      ...(task ? [{ path: TASK_FILE, sha256: digestOf(taskText!) }] : []),
      ...(indexText === undefined ? [] : [{ path: INDEX_FILE, sha256: digestOf(indexText) }]),
    ],
  };
}

function readTask(text: string): { task: CocoTask; extra: Extra[] } {
  // Loaded here and not above: it costs half a start of node, and few workspaces hold such folders.
  const yaml = createRequire(import.meta.url)("yaml") as typeof Yaml;
  return readWholeCocoTaskFile(text, yaml);
}

function readIndex(text: string): EvidenceEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(INDEX_FILE, "JSON", cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (!Array.isArray(value)) throw unreadable(INDEX_FILE, "a list of evidence entries", typeof value);
  const wrong = value.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0) throw unreadable(INDEX_FILE, "evidence entries only", `something else at place ${wrong + 1}`);
  return value as EvidenceEntry[];
}

/** With LF, so that a clone that writes CR LF reads the same. */
function readText(context: EngineContext, loaded: LoadedEntity, file: string): string | undefined {
  const found = inspectFile(context.disk, loaded.folder, file);
  if (found.state === "missing") return undefined;
  if (found.state === "unsafe")
    throw new TaskfoldError("PATH_UNSAFE", `Expected ${file} to be a regular file: ${found.why}.`);
  if (found.size > MAX_BYTES) throw unreadable(file, `at most ${MAX_BYTES} bytes`, `${found.size}`);
  return withLf(context.disk.readFile(join(loaded.folder, file)).toString("utf8"));
}

function withLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** A leap second has no place in a time of ours. */
function utc(time: string | null | undefined): string | undefined {
  return (time && utcNanos(time)?.replace(/:60\./, ":59.")) || undefined;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function unreadable(file: string, expected: string, found: string, cause?: unknown): TaskfoldError {
  return new TaskfoldError("LOG_UNREADABLE", `Expected ${file} to hold ${expected}, found ${found.slice(0, 200)}.`, {
    recovery: `Correct ${file} by hand, or wait until the other program has written it.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
