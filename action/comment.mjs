// @ts-check
// The one comment of a pull request: written once, then kept up to date.
import { MARKER } from "./report.mjs";

/** @typedef {{ id: number, body?: string, user?: { login?: string } }} Comment */
/** @typedef {{ api: string, repository: string, token: string, author: string }} Target */

const MAX_PAGES = 30;

/**
 * Null, or why there is no comment: a token of a fork may only read, which is no fault of the pull request.
 * @param {Target} to
 * @param {number} number @param {string} body
 */
export async function putComment(to, number, body) {
  const comments = `/repos/${to.repository}/issues/${number}/comments`;
  try {
    const known = await own(to, comments);
    if (known === null) await call(to, "POST", comments, { body });
    else await call(to, "PATCH", `/repos/${to.repository}/issues/comments/${known}`, { body });
    return null;
  } catch (e) {
    return `No comment was written: ${e instanceof Error ? e.message : String(e)}`;
  }
}

/** A comment that begins with our mark and is by our login: others may write the mark. @param {Target} to @param {string} comments */
async function own(to, comments) {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const list = /** @type {Comment[]} */ (await call(to, "GET", `${comments}?per_page=100&page=${page}`));
    const found = list.find((one) => one.user?.login === to.author && one.body?.startsWith(MARKER));
    if (found) return Number(found.id);
    if (list.length < 100) return null;
  }
  return null;
}

/** @param {Target} to @param {string} method @param {string} path @param {object} [body] @returns {Promise<unknown>} */
async function call({ api, token }, method, path, body) {
  const reply = await fetch(`${api}${path}`, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "user-agent": "taskfold",
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(30_000),
  });
  if (!reply.ok) throw new Error(`${method} ${path.split("?")[0]} was answered with ${reply.status}.`);
  return reply.json();
}
