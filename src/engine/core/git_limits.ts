/** Parts of git that are left out because they are more than is read: each is a finding, and the rest goes on (HISTORY-23). */
import { isTaskfoldError } from "../../errors.ts";
import type { Finding } from "./finding.ts";
import { wholeFile } from "./finding.ts";
import { remedyOf } from "../../remedy.ts";
import type { GitLimit } from "./git_port.ts";

/** Of one question; a repository can have any number of them. */
const MAX_REPORTED = 20;

export class Limits {
  readonly reported: GitLimit[] = [];
  readonly #known = new Set<string>();

  /** Each once. */
  readonly tell = (limit: GitLimit): void => {
    const key = `${limit.path ?? ""}\n${limit.why}`;
    if (this.reported.length >= MAX_REPORTED || this.#known.has(key)) return;
    this.#known.add(key);
    this.reported.push(limit);
  };

  /** Does this as far as the limits of git allow; undefined where they ended it. */
  within<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (e) {
      if (!isTaskfoldError(e) || !["CONTENT_TOO_LARGE", "OBJECT_MISSING"].includes(e.code)) throw e;
      this.tell({ path: null, why: e.message, ...(e.code === "OBJECT_MISSING" && remedyOf(e)) });
      return undefined;
    }
  }
}

export function limitFindings(limits: readonly GitLimit[]): Finding[] {
  return limits.map((limit) => {
    const { path, why } = limit;
    const code = limit.recovery === undefined ? "GIT_LIMIT" : "OBJECT_MISSING";
    const message = `Expected to read all of its history in git; not all was: ${why.replace(/\.$/, "")}.`;
    return wholeFile(code, path ?? ".coco", message, limit);
  });
}
