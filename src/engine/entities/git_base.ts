/**
 * The cards of an entity as they are in the base branch of git (GRAPH rules). Git names bytes by their digest, so a log
 * that was read once is read again only when the base has another one.
 */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { filteredLines } from "../../log/line_counts.ts";
import type { LineCounts } from "../../log/line_counts.ts";
import { bytesSource } from "../../log/source.ts";
import { counted } from "../../state/counted.ts";
import type { Subject } from "../../state/entity.ts";
import type { Card } from "../../state/reasoning.ts";
import type { GitBase } from "../../views/graph_diff.ts";
import { foldLog } from "../../fold_log.ts";
import type { GitBranch, GitPort } from "../core/git_port.ts";
import type { EngineContext } from "../core/context.ts";

interface Known {
  object: string;
  cards: ReadonlyMap<string, Card> | null;
}

export class GitBases {
  readonly #context: Pick<EngineContext, "git">;
  /** By the root of the entity. */
  readonly #known = new Map<string, Known>();

  constructor(context: Pick<EngineContext, "git">) {
    this.#context = context;
  }

  of({ id, entity }: Subject): GitBase {
    if (!this.#context.git) return none("this workspace was opened without git");
    try {
      const git = this.#context.git();
      if (!git) return none("there is no repository: this folder is in no git work tree, or there is no git program");
      const found = git.base();
      return typeof found === "string" ? none(found) : this.#compared(git, found, id, entity.root);
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
      const way = e.code === "OBJECT_MISSING" && e.recovery !== undefined ? ` ${e.recovery}` : "";
      return none(`${e.message}${way}`.replace(/\.$/, ""));
    }
  }

  #compared(git: GitPort, { branch, base, commit, source }: GitBranch, id: string, root: string): GitBase {
    const there = { available: true, branch, base, base_source: source } as const;
    for (const part of ["tasks", "archive"]) {
      const object = git.find(commit, `.coco/${part}/${id}/events.jsonl`);
      const cards = object === undefined ? null : this.#cards(git, object, { id, root, base });
      if (cards) return { ...there, cards };
    }
    return { ...there, cards: null };
  }

  #cards(git: GitPort, object: string, { id, root, base }: Record<"id" | "root" | "base", string>): Known["cards"] {
    const known = this.#known.get(root);
    if (known?.object === object) return known.cards;
    const log = git.read(object);
    const filtered = filteredLines(log);
    if (filtered) throw filteredInBase(id, base, filtered);
    const cards = cardsIn(log, root);
    this.#known.set(root, { object, cards });
    return cards;
  }
}

/** Null when the log there is another entity's. */
function cardsIn(log: Buffer, root: string): ReadonlyMap<string, Card> | null {
  const { entity } = foldLog(bytesSource(log));
  return entity?.root === root ? entity.cards : null;
}

function filteredInBase(id: string, base: string, { pointers, unreadable }: LineCounts): TaskfoldError {
  const code = pointers > 0 ? "LOG_LFS_POINTER" : "LOG_UNREADABLE";
  const found = pointers > 0 ? "pointers of Git LFS" : `${counted(unreadable, "line")} that cannot be read`;
  return new TaskfoldError(code, `the log of ${id} in ${base} has ${found} in the place of events (${code})`);
}

function none(reason: string): GitBase {
  return { available: false, reason: `Not available, because ${reason}.` };
}
