/** What one attempt changed in the work tree, over the processes that begin it, end it, and try the stage again. */
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { attemptsOf } from "../state/packet.ts";
import type { Attempt } from "../state/packet.ts";
import { afterFailure, baselineAfter, changedIn } from "./baseline.ts";
import type { Baseline, Change } from "./baseline.ts";
import { KeptWorkTrees } from "./kept_work_tree.ts";
import type { Around } from "./work_tree.ts";
import { join } from "node:path";
import { nodeDisk } from "../disk.ts";
import type { FileStat } from "../disk.ts";
import { errnoOf } from "../files/storage_error.ts";

export class AttemptChanges {
  readonly #task: string;
  readonly #around: Around;
  readonly #trees: KeptWorkTrees;
  readonly #baseline: Baseline;
  #run: string | undefined;
  #change: Change | undefined;

  private constructor({ id, disk, layout, git, packet }: PacketAccess, baseline?: Baseline, run?: string) {
    this.#task = id;
    this.#around = { disk, root: layout.root, git };
    this.#trees = new KeptWorkTrees(disk, layout);
    const next = baselineAfter(baseline, this.#around, packet().manifest.scope.deny);
    this.#baseline = { ...next, own: new Map([...next.own, ...printedInto(next, layout.root)]) };
    this.#run = run;
  }

  /** Looks at the work tree before an attempt of the stage begins. */
  static before(access: PacketAccess, stage: string): AttemptChanges {
    const earlier = attemptsOf(access.packet(), stage).toReversed();
    for (const attempt of earlier) {
      if (attempt.ended?.how === "passed" || attempt.reopened) break;
      // A dispatcher that was killed right after a start kept nothing of it; what it went on from is still kept.
      const kept = keptOf(access, attempt);
      if (kept) return new AttemptChanges(access, kept, attempt.run);
    }
    return new AttemptChanges(access);
  }

  /** Undefined where the look at its start is not kept on this machine. */
  static during(access: PacketAccess, attempt: Attempt): AttemptChanges | undefined {
    const kept = keptOf(access, attempt);
    return kept?.tree ? new AttemptChanges(access, kept, attempt.run) : undefined;
  }

  /** Keeps the look for the process that ends the attempt, or tries the stage again. */
  begin(run: string): void {
    this.#trees.keep(this.#task, run, this.#baseline);
    if (this.#run !== undefined) this.#trees.drop(this.#task, this.#run);
    this.#run = run;
  }

  /** Paths that changed until now. `files`: what the caller itself wrote, absolute. */
  look(files: readonly string[] = []): string[] {
    const { paths, recorded } = changedIn(this.#baseline, this.#around);
    const { own } = this.#baseline;
    this.#change = { paths: withoutOwn(paths, this.#around.root, files, own), recorded };
    return this.#change.paths;
  }

  /** Whether a look was taken. */
  get isSeen(): boolean {
    return this.#change !== undefined;
  }

  /** Of the paths of the last look, those of an attempt that did not pass count for the next one. */
  end(passed: boolean): void {
    if (this.#run === undefined) return;
    const { paths, recorded } = this.#change ?? { paths: [], recorded: new Set<string>() };
    if (passed || paths.length === 0) this.#trees.drop(this.#task, this.#run);
    else this.#trees.keep(this.#task, this.#run, afterFailure(this.#baseline, { paths, recorded }, this.#around));
  }
}

function keptOf({ id, disk, layout }: PacketAccess, { run }: Attempt): Baseline | undefined {
  return new KeptWorkTrees(disk, layout).read(id, run);
}

// Files in the work tree that a caller of the runner writes, and that no stage changed (PACKET-272).
const STDOUT = 1;
const STDERR = 2;

const PRINTED = [STDOUT, STDERR].map((fd) => () => nodeDisk.fstat(fd));

/** Files of the work tree that this process prints into, with what tells each from another file of its name. */
function printedInto({ tree }: Baseline, root: string): [string, string][] {
  const printed = new Set(PRINTED.flatMap((look) => identityOf(look)));
  if (!tree || printed.size === 0) return [];
  const inodes = new Set([...printed].map((one) => Number(one.split(":")[1])));
  return [...tree.marks]
    .filter(([, [, , ino]]) => inodes.has(ino))
    .flatMap(([path]) => identityOf(() => nodeDisk.lstat(join(root, path))).map((one): [string, string] => [path, one]))
    .filter(([, one]) => printed.has(one));
}

/** `paths` from the root on, without what the run prints into (`own`: also an earlier process of it), and without `files`, which are absolute. */
function withoutOwn(
  paths: string[],
  root: string,
  files: readonly string[],
  own: ReadonlyMap<string, string>,
): string[] {
  if (paths.length === 0) return paths;
  const looks = [...PRINTED, ...files.map((file) => () => nodeDisk.stat(file))];
  const now = new Set(looks.flatMap((look) => identityOf(look)));
  if (now.size + own.size === 0) return paths;
  return paths.filter((path) => {
    const [one] = identityOf(() => nodeDisk.lstat(join(root, path)));
    return one === undefined || !(now.has(one) || own.get(path) === one);
  });
}

/** None of what is no file, and none of a descriptor that is closed. */
function identityOf(look: () => FileStat | undefined): string[] {
  try {
    const stat = look();
    return stat?.kind === "file" ? [`${stat.dev}:${stat.ino}`] : [];
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return [];
  }
}
