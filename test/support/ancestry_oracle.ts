/** All proper ancestors of each op, the long way: `parents` names ops by their place, each before its children. */
export function closures(parents: readonly (readonly number[])[]): Set<number>[] {
  const all: Set<number>[] = [];
  for (const list of parents) all.push(new Set(list.flatMap((p) => [p, ...all[p]!])));
  return all;
}
