/** Long work on many entities: some at a time, and how far it is. */

export interface ProgressOptions {
  /** Called after each plan or task with how many of them are done. If it throws, the work ends. */
  progress?: (done: number, total: number) => void;
}

/** Does `work` for each item, for `most` of them at once, and gives what came of it in the order of the items. */
export async function atOnce<T, R>(
  items: readonly T[],
  { most, progress }: ProgressOptions & { most: number },
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  let done = 0;
  const worker = async (): Promise<void> => {
    for (const [i, item] of left) {
      results[i] = await work(item);
      progress?.(++done, items.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}

/** Options by which pass number `pass`, from 0, of `passes` over everything reports its part of the whole. */
export function ofPass({ progress }: ProgressOptions, pass: number, passes: number): ProgressOptions {
  return progress ? { progress: (done, total) => progress(pass * total + done, passes * total) } : {};
}
