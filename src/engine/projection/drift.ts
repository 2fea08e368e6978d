/**
 * Returns whether a file that differs from what the log folds to was folded from the same log at another moment. Then
 * git or another process brought it. Any other difference is an edit, and is set aside before it is written again.
 * Costs a few reads of the log, so it is asked only about files that differ.
 */
import type { Disk } from "../../disk.ts";
import { withPending } from "../../events/foreign.adopted.ts";
import { isKnownType } from "../../events/index.ts";
import { INDEX_FILE, TASK_FILE } from "../../files/layout.ts";
import { headDigest } from "../../log/canonical.ts";
import { headsAt } from "../../log/moments.ts";
import { readOps } from "../../log/read_ops.ts";
import { bytesSource } from "../../log/source.ts";
import type { Op } from "../../log/types.ts";
import { projectionsOf, RENDERER } from "../../projections/index.ts";
import type { Folded } from "../../state/entity.ts";
import { TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { foldLog } from "../../fold_log.ts";
import { headNamed, rendererOf, revisionNamed } from "../core/task_yaml_marks.ts";
import { wasSectionText } from "./taskdoc_package.ts";

/** A file as it was found, by its name in the folder, and what it is to be. */
export interface Differing {
  name: string;
  found: Buffer;
  text: string;
}

/** Files that the present log never folded to. */
export interface Drift {
  changed: Differing[];
  /** As an older renderer may have written them at a moment of this log: what it wrote cannot be known any more (PROJ-21). */
  outdated: Differing[];
}

/** Renderings tried for one moment; a file that none of them gives is kept aside, and nothing is lost. */
const MAX_PENDING = 64;

/** Renderings tried for a README.md of a moment with branches: it names how many ops there were, and not which. */
const MAX_BRANCHED = 32;
/** The latest moments that are tried for files which name none: a process may have been killed before it wrote the file that does. */
const MAX_UNNAMED = 8;
/** Ops that they read together, some 12 us each; two are tried of any log. */
const MAX_READ = 20_000;

const NONE: Drift = { changed: [], outdated: [] };

/** `taskYaml`: the text of task.yaml as it was found. */
export function driftOf(
  disk: Disk,
  loaded: LoadedEntity,
  workspace: string,
  files: readonly Differing[],
  taskYaml: string | undefined,
): Drift {
  return driftIn(() => disk.readFile(loaded.log.path), { id: loaded.id, workspace }, files, taskYaml);
}

/** Of what an entity is called in its files. */
type Named = Pick<Folded, "id" | "workspace">;

/** The same for a log that is not on disk, such as one side of a merge. */
export function driftIn(
  log: () => Buffer,
  named: Named,
  files: readonly Differing[],
  taskYaml: string | undefined,
): Drift {
  let left = files.filter((file) => !isShorterIndex(file));
  if (left.length === 0) return NONE;
  const bytes = log();
  const { ops } = readOps(bytesSource(bytes), { isKnownType, checkHash: false });
  left = left.filter((file) => !wasSectionText(ops, file));
  if (left.length === 0) return NONE;
  const heads = headsNamed(ops, taskYaml);
  for (const then of renderingsOf(named, bytes, ops, momentsOf(ops, left, heads))) {
    left = left.filter(({ name, found }) => {
      const text = then.get(name);
      return text === undefined || !found.equals(Buffer.from(text));
    });
    if (left.length === 0) break;
  }
  const theirs = rendererOf(taskYaml);
  // Texts of the Taskdoc are as their authors wrote them, whichever renderer it was.
  const isOutdated = ({ name }: Differing): boolean =>
    heads !== undefined && theirs > 0 && theirs < RENDERER && !name.startsWith(`${TASKDOC_PACKAGE}/`);
  return { changed: left.filter((file) => !isOutdated(file)), outdated: left.filter(isOutdated) };
}

/** Entries are only ever added, so an earlier index is the beginning of the present one. */
function isShorterIndex({ name, found, text }: Differing): boolean {
  if (name !== INDEX_FILE) return false;
  const end = "\n]\n";
  const before = found.toString("utf8");
  if (before === "[]\n") return true;
  return before.endsWith(end) && text.startsWith(`${before.slice(0, -end.length)},\n`);
}

/** The moments that the files themselves name: task.yaml by the head, README.md by the revision. */
function* momentsOf(
  ops: readonly Op[],
  files: readonly Differing[],
  named: readonly string[] | undefined,
): Generator<readonly string[]> {
  if (named) yield named;
  const readme = files.find(({ name }) => name === "README.md")?.found.toString("utf8");
  const revision = Number(/^- revision: `(\d{1,9})`$/m.exec(readme ?? "")?.[1] ?? 0);
  const op = ops[revision - 1];
  if (op) {
    yield [op.last];
    let left = Math.min(MAX_BRANCHED, Math.max(2, Math.floor(MAX_READ / revision)));
    for (const heads of headsAt(ops, revision)) {
      if (left-- === 0) break;
      yield heads;
    }
  }
  if (files.every(({ name }) => name === TASK_FILE || name === "README.md")) return;
  for (const { last, events } of ops.slice(-MAX_UNNAMED).toReversed()) {
    yield [last];
    const { prev } = events[0]!;
    if (prev.length > 1) yield prev;
  }
}

/** The heads whose digest a task.yaml names: one op, the branches that an op joined, or branches that no op joined as they were then. */
function headsNamed(ops: readonly Op[], taskYaml: string | undefined): readonly string[] | undefined {
  const head = headNamed(taskYaml);
  if (head === undefined) return undefined;
  for (const { last, events } of ops.toReversed()) {
    const { prev } = events[0]!;
    if (headDigest([last]) === head) return [last];
    if (prev.length > 1 && headDigest(prev) === head) return prev;
  }
  for (const heads of headsAt(ops, revisionNamed(taskYaml) ?? 0)) if (headDigest(heads) === head) return heads;
  return undefined;
}

/**
 * Returns the renderings of the log when it ended in these heads: their ancestors alone, read as a log. The head does
 * not tell how many lines of other programs stood there by then, so each number of them is tried, all first.
 */
function* renderingsOf(
  named: Named,
  bytes: Buffer,
  ops: readonly Op[],
  moments: Iterable<readonly string[]>,
): Generator<Map<string, string>> {
  for (const heads of moments) {
    const kept = linesOf(bytes, eventsUpTo(ops, heads));
    const { entity, report } = foldLog(bytesSource(kept), { ring: 1 });
    if (!entity) continue;
    const { foreign, bytes: logBytes } = report;
    const head = headDigest(heads);
    const fewest = Math.max(0, foreign.length - MAX_PENDING);
    const counts = Array.from({ length: foreign.length - fewest }, (_, i) => foreign.length - i);
    for (const count of [...counts, 0])
      yield projectionsOf({
        ...named,
        entity: withPending(entity, foreign.slice(0, count)),
        head,
        bytes: logBytes,
      });
  }
}

/** Hashes of all events of the ops that end in `heads`, and of their ancestors. Ops come in replay order, parents first. */
function eventsUpTo(ops: readonly Op[], heads: readonly string[]): Set<string> {
  const wanted = new Set(heads);
  const events = new Set<string>();
  for (const op of ops.toReversed()) {
    if (!wanted.has(op.last)) continue;
    for (const event of op.events) events.add(event.hash);
    for (const hash of op.events[0]!.prev) wanted.add(hash);
  }
  return events;
}

/** Lines of these events, and every line that is no event of ours. */
function linesOf(bytes: Buffer, events: ReadonlySet<string>): Buffer {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const lf = bytes.indexOf(0x0a, start);
    const end = lf < 0 ? bytes.length : lf + 1;
    const line = bytes.subarray(start, end);
    const hash = /"hash":"([A-Za-z0-9_-]{43})"/.exec(line.toString("latin1"))?.[1];
    if (hash === undefined || events.has(hash)) lines.push(line);
    start = end;
  }
  return Buffer.concat(lines);
}
