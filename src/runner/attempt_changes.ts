/** The changes of one attempt in the work tree, over the processes that begin it, end it, and try the stage again. */
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { attemptsOf } from "../state/packet.ts";
import type { Attempt, Packet } from "../state/packet.ts";

import { outOfScope } from "../rules/packet/scope.ts";
import { afterFailure, baselineAfter, changedIn } from "./baseline.ts";
import type { Baseline, Change } from "./baseline.ts";
import type { Lost } from "./lost_record.ts";
import { seenBy, withoutRecord } from "./lost_record.ts";
import { KeptWorkTrees } from "./kept_work_tree.ts";
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
  readonly #isFolded: PacketAccess["isFolded"];
  #run: string | undefined;
  #change: Change | undefined;

  private constructor(
    { id, disk, disks, layout, git, packet, isFolded }: PacketAccess,
    baseline?: Baseline,
    run?: string,
    lost?: Attempt,
  ) {
    this.#task = id;
    this.#isFolded = isFolded;
    this.#context = { disk, anywhere: disks.anywhere, root: layout.root, git };
    this.#trees = new KeptWorkTrees(disk, layout);
    const { deny } = packet().manifest.scope;
    const known = lost?.work_tree === undefined ? undefined : withoutRecord(this.#context, deny, lost.work_tree);
    this.#lost = known?.lost;
    const next = known?.baseline ?? baselineAfter(baseline, this.#context, deny);
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
    const paths = this.#change?.paths;
    const isInside = judged && paths?.every((path) => outOfScope(path, scope) === null) === true;
    return isInside ? {} : { refused: why };
  }

  /** Keeps the look for the process that ends the attempt, or tries the stage again. */
  begin(run: string): void {
    this.#trees.keep(this.#task, run, this.#baseline);
    if (this.#run !== undefined) this.#trees.drop(this.#task, this.#run);
    this.#run = run;
  }

  /** Paths that changed until now. `files`: what the caller itself wrote, absolute. */
  look(files: readonly string[] = []): string[] {
    const { paths: all, recorded } = changedIn(this.#baseline, this.#context);
    const paths = all.filter((path) => !this.#isFolded(path));
    const { own } = this.#baseline;
    this.#change = { paths: withoutOwn(paths, this.#context, files, own), recorded };
    return this.#change.paths;
  }

  /** Whether a look was taken. */
  get isSeen(): boolean {
    return this.#change !== undefined;
  }

  /** Of the paths of the last look, those of an attempt that did not pass count for the next one. */
  end(passed: boolean): void {
    if (this.#run === undefined) return;
    const change = this.#change ?? { paths: [], recorded: new Set<string>() };
    if (passed) this.#trees.drop(this.#task, this.#run);
    else this.#trees.keep(this.#task, this.#run, afterFailure(this.#baseline, change, this.#context));
  }
}

function keptOf({ id, disk, layout }: PacketAccess, { run }: Attempt): Baseline | undefined {
  return new KeptWorkTrees(disk, layout).read(id, run);
}

// Files in the work tree that a caller of the runner writes, and that no stage changed (PACKET-272).
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
