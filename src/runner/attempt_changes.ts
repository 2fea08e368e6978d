/** The changes of one attempt in the work tree, over the processes that begin it, end it, and try the stage again. */
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { attemptsOf } from "../state/packet.ts";
import type { Attempt, Packet } from "../state/packet.ts";

import { isOwn, outOfScope } from "../rules/packet/scope.ts";
import type { ExplainedFiles } from "../engine/packet/explained_files.ts";
import { readRegular } from "../files/atomic.ts";
import { LOG_FILE } from "../files/layout.ts";
import { sameRecorded } from "../files/file_sign.ts";
import { afterFailure, baselineAfter, changedIn, nameOfBlob } from "./baseline.ts";
import type { Baseline, Change } from "./baseline.ts";
import type { Lost } from "./lost_record.ts";
import { seenBy, withoutRecord } from "./lost_record.ts";
import { KeptWorkTrees } from "./kept_work_tree.ts";
import { markNow } from "./work_tree.ts";
import type { WorkTreeContext } from "./work_tree.ts";
import { join } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { unlessRefused } from "../files/storage_error.ts";

export class AttemptChanges {
  readonly #task: string;
  readonly #context: WorkTreeContext;
  readonly #trees: KeptWorkTrees;
  readonly #baseline: Baseline;
  /** Why not all is known that changed; undefined where it is. */
  readonly #lost: Lost | undefined;
  readonly #explained: PacketAccess["explained"];
  #run: string | undefined;
  #change: Change | undefined;
  /** Paths of the last look that count. */
  #paths: string[] | undefined;

  private constructor(
    { id, disk, disks, layout, git, packet, explained }: PacketAccess,
    baseline?: Baseline,
    run?: string,
    lost?: Attempt,
  ) {
    this.#task = id;
    this.#explained = explained;
    this.#context = { disk, anywhere: disks.anywhere, root: layout.root, git };
    this.#trees = new KeptWorkTrees(disk, layout);
    const { deny } = packet().manifest.scope;
    const known = lost?.work_tree === undefined ? undefined : withoutRecord(this.#context, deny, lost.work_tree);
    this.#lost = known?.lost;
    const next = known?.baseline ?? withLog(baselineAfter(baseline, this.#context, deny), baseline, id);
    this.#baseline = { ...next, own: new Map([...next.own, ...printedInto(next, this.#context)]) };
    this.#run = run;
  }

  /** Looks at the work tree before an attempt of the stage begins. */
  static before(access: PacketAccess, stage: string): AttemptChanges {
    const earlier = attemptsOf(access.packet(), stage).toReversed();
    let lost: Attempt | undefined;
    for (const attempt of earlier) {
      if (attempt.ended?.how === "passed" || attempt.reopened) break;
      // A dispatcher that was killed right after a start kept nothing of it; the tree that it went on from is still kept.
      const kept = keptOf(access, attempt);
      if (kept) return new AttemptChanges(access, kept, attempt.run);
      if (attempt.work_tree !== undefined) lost ??= attempt;
    }
    return new AttemptChanges(access, undefined, lost?.run, lost);
  }

  /** Undefined where the runner did not look at its start. */
  static during(access: PacketAccess, attempt: Attempt): AttemptChanges | undefined {
    const kept = keptOf(access, attempt);
    if (kept?.tree) return new AttemptChanges(access, kept, attempt.run);
    return attempt.work_tree === undefined ? undefined : new AttemptChanges(access, undefined, attempt.run, attempt);
  }

  /** For the event that starts the attempt: if what is kept is gone, this is all that is left. */
  get seen(): string {
    return seenBy(this.#baseline, this.#context.git);
  }

  /** Facts for the gate besides the paths of the last look, where the record of the start is gone (PACKET-370). */
  notKnown({ manifest: { scope } }: Packet): { refused?: string } {
    if (!this.#lost) return {};
    const { why, judged } = this.#lost;
    const isInside = judged && this.paths.every((path) => outOfScope(path, scope) === null);
    return isInside ? {} : { refused: why };
  }

  /** Keeps the look for the process that ends the attempt, or tries the stage again. */
  begin(run: string): void {
    this.#trees.keep(this.#task, run, this.#baseline);
    if (this.#run !== undefined) this.#trees.drop(this.#task, this.#run);
    this.#run = run;
  }

  /** Looks at what changed until now. `files`: what the caller itself wrote, absolute. */
  look(files: readonly string[] = []): void {
    const { paths, recorded } = changedIn(this.#baseline, this.#context);
    this.#change = { paths: withoutOwn(paths, this.#context, files, this.#baseline.own), recorded };
    this.#paths = undefined;
  }

  /** Paths that changed until the last look, without those that the logs explain now. */
  get paths(): string[] {
    return (this.#paths ??= this.#counting());
  }

  #counting(): string[] {
    const { tree, carried } = this.#baseline;
    const { paths, recorded } = this.#change ?? NO_CHANGE;
    if (!paths.some(isOwn)) return paths;
    const explained = this.#explained(tree?.logs ?? new Map());
    const objects = paths.some((path) => recorded.has(path) && isOwn(path)) ? this.#recordedObjects() : new Map();
    return paths.filter((path) => {
      if (!isOwn(path)) return true;
      const was = tree?.marks.get(path) ?? null;
      const isChanged = carried.has(path) || !sameRecorded(was, markNow(this.#context, path));
      if (carried.has(path) && path.endsWith(`/${LOG_FILE}`)) return true;
      if (isChanged && !explained.has(path)) return true;
      return recorded.has(path) && !this.#isRecorded(explained, path, objects.get(path) ?? "");
    });
  }

  #recordedObjects(): ReadonlyMap<string, string> {
    return this.#context.git?.recordedSince(this.#baseline.commit) ?? new Map();
  }

  /** Each object that the commit or the index has for it, unless it has the bytes of the file. */
  #isRecorded(explained: ExplainedFiles, path: string, entry: string): boolean {
    const { git, disk, root } = this.#context;
    const bytes = unlessRefused(() => readRegular(disk, join(root, path)));
    const objects = new Set(entry.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g));
    return [...objects].every((object) => {
      if (/^0+$/.test(object)) return explained.isRecorded(path, null);
      return bytes && nameOfBlob(object, bytes) === object ? true : explained.isRecorded(path, git!.read(object));
    });
  }

  /** Every path that counts, but no log that is only longer: it counts once, and not in every later attempt (PACKET-382). */
  #toCarry(): string[] {
    const { tree, carried } = this.#baseline;
    const isLog = (path: string): boolean => isOwn(path) && path.endsWith(`/${LOG_FILE}`);
    if (!this.paths.some(isLog)) return this.paths;
    const explained = this.#explained(tree?.logs ?? new Map());
    return this.paths.filter((path) => !isLog(path) || carried.has(path) || !explained.isLonger(path));
  }

  /** Whether a look was taken. */
  get isSeen(): boolean {
    return this.#change !== undefined;
  }

  /** Of the paths of the last look, those of an attempt that did not pass count for the next one. */
  end(passed: boolean): void {
    if (this.#run === undefined) return;
    const change = { ...(this.#change ?? NO_CHANGE), paths: this.#toCarry() };
    if (passed) this.#trees.drop(this.#task, this.#run);
    else this.#trees.keep(this.#task, this.#run, afterFailure(this.#baseline, change, this.#context));
  }
}

const NO_CHANGE: Change = { paths: [], recorded: new Set() };

/** A process of the stage can write this file, too: one that is not what the start event tells of is as good as none. */
function keptOf({ id, disk, layout, git }: PacketAccess, { run, work_tree }: Attempt): Baseline | undefined {
  const kept = new KeptWorkTrees(disk, layout).read(id, run);
  return kept?.tree && work_tree !== undefined && seenBy(kept, git) !== work_tree ? undefined : kept;
}

/**
 * The log of the task grows whatever happens. So what a failed attempt brought into it counts until the stage is opened again, though the
 * file is not as the attempt left it (PACKET-382).
 */
function withLog(next: Baseline, last: Baseline | undefined, task: string): Baseline {
  const path = `.coco/tasks/${task}/${LOG_FILE}`;
  const kept = last?.carried.get(path);
  return kept ? { ...next, carried: new Map([...next.carried, [path, kept]]) } : next;
}

// Files in the work tree that a caller of the runner writes, and that no stage changed (PACKET-106).
const STDOUT = 1;
const STDERR = 2;

function printed(disk: Disk): (() => FileStat)[] {
  return [STDOUT, STDERR].map((fd) => () => disk.fstat(fd));
}

/** Files of the work tree that this process prints into, with what tells each from another file of its name. */
function printedInto({ tree }: Baseline, { anywhere, root }: WorkTreeContext): [string, string][] {
  const into = new Set(printed(anywhere).flatMap((look) => identityOf(look)));
  if (!tree || into.size === 0) return [];
  const inodes = new Set([...into].map((one) => Number(one.split(":")[1])));
  return [...tree.marks]
    .filter(([, [, , ino]]) => inodes.has(ino))
    .flatMap(([path]) => identityOf(() => anywhere.lstat(join(root, path))).map((one): [string, string] => [path, one]))
    .filter(([, one]) => into.has(one));
}

/** `paths` from the root on, without what the run prints into (`own`: also an earlier process of it), and without `files`, which are absolute. */
function withoutOwn(
  paths: string[],
  { anywhere, root }: WorkTreeContext,
  files: readonly string[],
  own: ReadonlyMap<string, string>,
): string[] {
  if (paths.length === 0) return paths;
  const looks = [...printed(anywhere), ...files.map((file) => () => anywhere.stat(file))];
  const now = new Set(looks.flatMap((look) => identityOf(look)));
  if (now.size + own.size === 0) return paths;
  return paths.filter((path) => {
    const [one] = identityOf(() => anywhere.lstat(join(root, path)));
    return one === undefined || !(now.has(one) || own.get(path) === one);
  });
}

/** None of what is no file, and none of a descriptor that is closed. */
function identityOf(look: () => FileStat | undefined): string[] {
  return (
    unlessRefused(() => {
      const stat = look();
      return stat?.kind === "file" ? [`${stat.dev}:${stat.ino}`] : [];
    }) ?? []
  );
}
