/**
 * Many folders verified by more than one thread: what a folder holds depends on no other folder. The caller waits for the
 * answer all the same, so the threads are told what is left by shared memory and not by events.
 */
import type { Runtime, Threads } from "../../runtime.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import type { EngineContext } from "../core/context.ts";
import { partsLeft } from "../core/parts_left.ts";
import { threadFile } from "../core/thread_file.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { allParts, verifyPart } from "./verify_part.ts";
import type { PartVerified, VerifyWork } from "./verify_part.ts";
import type { Verified, VerifyFrom } from "./verify_entity.ts";
import { verifyPlace } from "./verify_entity.ts";

/** A thread takes as long to start as some hundred folders take to verify. */
const WORTH_THREADS = 500;
/** Beside this one. Each takes the memory of one more process. */
const MAX_THREADS = 3;
/** A thread that says nothing for so long may have died: what it took is done here. */
const PATIENCE_MS = 1000;

export type VerifyPlacesFrom = VerifyFrom & {
  context: Pick<EngineContext, "disks">;
  runtime: Pick<Runtime, "threadsBeside" | "startThreads">;
};

/** Returns the outcome of each place, in their order. */
export function verifyPlaces(
  from: VerifyPlacesFrom,
  places: readonly EntityLocation[],
  options: ProgressOptions,
): Verified[] {
  const isShared = places.length >= WORTH_THREADS && from.context.disks.inThreads;
  const shared = isShared ? startThreads(from, places) : null;
  if (shared) return verifyWith(shared, from, places, options);
  return places.map((place, i) => {
    const verified = verifyPlace(from, place);
    options.progress?.(i + 1, places.length);
    return verified;
  });
}

interface Shared {
  threads: Threads;
  work: VerifyWork;
}

/** Null where there is no thread to share with: one processor, no file to start from, or a system that allows no thread. */
function startThreads(
  { runtime, context, ...from }: VerifyPlacesFrom,
  places: readonly EntityLocation[],
): Shared | null {
  const most = Math.min(runtime.threadsBeside, MAX_THREADS);
  const file = most > 0 ? threadFile("verify_worker") : undefined;
  if (file === undefined) return null;
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const work: VerifyWork = { root: context.layout.root, ...from, places, taken };
  try {
    return { threads: runtime.startThreads(most, { file, work }), work };
  } catch {
    // Node refuses under --permission, the system without memory: one thread does the work as well.
    return null;
  }
}

function verifyWith(
  { threads, work }: Shared,
  from: VerifyFrom,
  places: readonly EntityLocation[],
  { progress }: ProgressOptions,
): Verified[] {
  const verified: Verified[] = [];
  let done = 0;
  const take = ({ at, results }: PartVerified): void => {
    for (const [i, one] of results.entries()) verified[at + i] = one;
    done += results.length;
  };
  const takeMessages = (): void => {
    for (const part of threads.messages()) take(part as PartVerified);
    progress?.(done, places.length);
  };
  try {
    for (const at of partsLeft(places.length, work.taken)) {
      take(verifyPart(from, places, at));
      takeMessages();
    }
    while (done < places.length) {
      takeMessages();
      if (done === places.length) break;
      if (threads.wait(PATIENCE_MS)) continue;
      for (const at of allParts(places)) {
        if (verified[at] === undefined) take(verifyPart(from, places, at));
      }
      progress?.(done, places.length);
    }
    return verified;
  } finally {
    threads.end();
  }
}
