import type { Warning } from "../errors.ts";
import { LIMITS } from "../state/limits.ts";

export type Pagination = { cursor: number; next_cursor: number | null; total: number; count: number; limit: number };

const DEFAULT_LIMIT = 50;

/** All of a list as one page, for a reader that shows the whole. */
export function wholeOf<T>(all: readonly T[]): { items: readonly T[]; pagination: Pagination; warnings: Warning[] } {
  const count = all.length;
  const limit = Math.max(count, LIMITS.listPage);
  return { items: all, pagination: { cursor: 0, next_cursor: null, total: count, count, limit }, warnings: [] };
}

/**
 * One page of a list, from an offset, in the list's order. `name` is the input with the number of items. Above the
 * maximum it is lowered, and the warning names `more`, where the offset of the next page stands.
 */
export function pageOf<T>(
  all: readonly T[],
  { cursor = 0, limit: asked = DEFAULT_LIMIT }: { cursor?: number | undefined; limit?: number | undefined },
  { name, more }: { name: string; more: string },
): { items: T[]; pagination: Pagination; warnings: Warning[] } {
  const limit = Math.min(asked, LIMITS.listPage);
  const items = all.slice(cursor, cursor + limit);
  const end = cursor + items.length;
  const next_cursor = end < all.length ? end : null;
  return {
    items,
    pagination: { cursor, next_cursor, total: all.length, count: items.length, limit },
    warnings: asked > limit ? [limitClamped(name, { asked, limit }, `Follow ${more}.next_cursor for the rest.`)] : [],
  };
}

/** The warning that a limit, the input `name`, was lowered. */
export function limitClamped(
  name: string,
  { asked, limit }: { asked: number; limit: number },
  recovery?: string,
): Warning {
  const message = `Expected ${name} of at most ${limit}, found ${asked}; ${limit} is used.`;
  return { code: "LIMIT_CLAMPED", message, ...(recovery === undefined ? {} : { recovery }) };
}
