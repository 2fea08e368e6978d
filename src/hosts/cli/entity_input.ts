import type { JsonObject } from "../../index.ts";

/** Options, besides an id, of the commands that are one call of a tool. */
export interface EntityOptions {
  /** A moment of the past. */
  at?: string;
  /** How much room the answer has. */
  maxChars?: number;
  limit?: number;
  /** A revision, or an op. */
  before?: string;
  since?: string;
  until?: string;
  op?: string;
}

/** Without an id the tool goes by the focus, or means the workspace where it does. */
export function entityInput(id: string | undefined, { at, before, maxChars, ...same }: EntityOptions): JsonObject {
  return {
    ...(id === undefined ? {} : { target: id }),
    ...(at === undefined ? {} : { at: revisionOrHash(at) }),
    ...(before === undefined ? {} : { before: revisionOrHash(before) }),
    ...(maxChars === undefined ? {} : { max_chars: maxChars }),
    ...same,
  };
}

/** A hash of 43 characters is never all digits short enough to be a revision. */
function revisionOrHash(text: string): number | string {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : text;
}
