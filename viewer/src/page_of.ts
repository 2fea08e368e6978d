/** The page of these that the address names; else the first. An address by hand may name any. */
export function pageOf(named: string | undefined, pages: readonly number[]): number {
  const wanted = Number(named ?? 1) - 1;
  return pages.includes(wanted) ? wanted : (pages[0] ?? 0);
}
