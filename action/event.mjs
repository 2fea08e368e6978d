// @ts-check
/**
 * The commits that the action compares, by the event file from GitHub.
 * @typedef {{ base: string | null, number: number | null, branch: string | null, head: string | null, isFork: boolean }} Compared
 */

/**
 * The members that are read of an event; GitHub alone says what is in them.
 * @typedef {{ sha?: unknown, ref?: unknown, repo?: { full_name?: unknown } | null }} Side
 * @typedef {{ pull_request?: { number?: unknown, base?: Side, head?: Side }, merge_group?: { base_sha?: unknown }, before?: unknown }} Payload
 */

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** @param {Payload} event @returns {Compared} */
export function comparedWith(event) {
  const { pull_request: pull } = event;
  if (pull) {
    return {
      base: commit(pull.base?.sha),
      number: typeof pull.number === "number" && Number.isSafeInteger(pull.number) ? pull.number : null,
      branch: typeof pull.head?.ref === "string" ? pull.head.ref : null,
      head: commit(pull.head?.sha),
      isFork: pull.head?.repo?.full_name !== pull.base?.repo?.full_name,
    };
  }
  const before = event.merge_group?.base_sha ?? event.before;
  return {
    base: /^0+$/.test(String(before)) ? null : commit(before),
    number: null,
    branch: null,
    head: null,
    isFork: false,
  };
}

/** Only what is the name of a commit gets into a command. @param {unknown} value */
function commit(value) {
  return typeof value === "string" && COMMIT.test(value) ? value : null;
}
