/** What one attempt changed in the work tree, over the processes that begin it, end it, and try the stage again. */
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { attemptsOf } from "../state/packet.ts";
import type { Attempt, Packet } from "../state/packet.ts";

import { outOfScope } from "../rules/packet/scope.ts";
import { afterFailure, baselineAfter, changedIn } from "./baseline.ts";
import type { Baseline, Change } from "./baseline.ts";
import type { Lost } from "./lost_record.ts";
import { seenBy, withoutRecord } from "./lost_record.ts";
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
  /** Why not all is known that changed; undefined where it is. */
  readonly #lost: Lost | undefined;
  #run: string | undefined;
  #change: Change = { paths: [], recorded: new Set() };

  private constructor(
    { id, disk, layout, git, packet }: PacketAccess,
    baseline?: Baseline,
    run?: string,
    lost?: Attempt,
  ) {
    this.#task = id;
    this.#around = { disk, root: layout.root, git };
    this.#trees = new KeptWorkTrees(disk, layout);
    const { deny } = packet().manifest.scope;
    const known = lost?.work_tree === undefined ? undefined : withoutRecord(this.#around, deny, lost.work_tree);
    this.#lost = known?.lost;
    this.#baseline = known?.baseline ?? baselineAfter(baseline, this.#around, deny);
    this.#run = run;
  }

  /** Looks at the work tree before an attempt of the stage begins. */
  static before(access: PacketAccess, stage: string): AttemptChanges {
    const earlier = attemptsOf(access.packet(), stage).toReversed();
    let lost: Attempt | undefined;
    for (const attempt of earlier) {
      if (attempt.ended?.how === "passed") break;
      // A dispatcher that was killed right after a start kept nothing of it; what it went on from is still kept.
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
    return seenBy(this.#baseline, this.#around.git);
  }

  /** What the gate is told besides the paths of the last look, where the record of the start is gone (PACKET-370). */
  notKnown({ manifest: { scope } }: Packet): { refused?: string } {
    if (!this.#lost) return {};
    const { why, judged } = this.#lost;
    const isInside = judged && this.#change.paths.every((path) => outOfScope(path, scope) === null);
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
    const { paths, recorded } = changedIn(this.#baseline, this.#around);
    this.#change = { paths: withoutOwn(paths, this.#around.root, files), recorded };
    return this.#change.paths;
  }

  /** Of the paths of the last look, those of an attempt that failed count for the next one. */
  end(passed: boolean): void {
    if (this.#run === undefined) return;
    if (passed) this.#trees.drop(this.#task, this.#run);
    else this.#trees.keep(this.#task, this.#run, afterFailure(this.#baseline, this.#change, this.#around));
  }
}

function keptOf({ id, disk, layout }: PacketAccess, { run }: Attempt): Baseline | undefined {
  return new KeptWorkTrees(disk, layout).read(id, run);
}

// Files in the work tree that a caller of the runner writes, and that no stage changed (PACKET-272).
const STDOUT = 1;
const STDERR = 2;

/** `paths` from the root on, without what this process prints into and without `files`, which are absolute. */
function withoutOwn(paths: string[], root: string, files: readonly string[]): string[] {
  if (paths.length === 0) return paths;
  const looks = [
    ...[STDOUT, STDERR].map((fd) => () => nodeDisk.fstat(fd)),
    ...files.map((file) => () => nodeDisk.stat(file)),
  ];
  const own = new Set(looks.flatMap((look) => identityOf(look)));
  if (own.size === 0) return paths;
  return paths.filter((path) => !identityOf(() => nodeDisk.lstat(join(root, path))).some((one) => own.has(one)));
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
