/** The work tree as git has it, for the check of one plan or task. Git is asked for the first run that is compared, and then not for a while. */
import { holdsFor } from "../../files/look_again.ts";
import type { Runtime } from "../../runtime.ts";
import type { StalenessOf } from "../../state/staleness.ts";
import type { TreeContext } from "../core/tree_look.ts";
import { TreeLook } from "../core/tree_look.ts";

export class TreeNow {
  readonly #context: TreeContext & { runtime: Runtime };
  #look: TreeLook | undefined;
  #took = 0;
  /** By the clock that only goes on. */
  #until = 0;

  constructor(context: TreeContext & { runtime: Runtime }) {
    this.#context = context;
  }

  /** For one answer: all of its runs are compared with the same files. `folder`: of the task. */
  staleness(folder: string): StalenessOf {
    const { runtime } = this.#context;
    if (!this.#look || runtime.uptime() >= this.#until) {
      this.#look = new TreeLook(this.#context);
      this.#took = 0;
    }
    const look = this.#look;
    return (_id, seen, scope) => {
      const began = runtime.uptime();
      const found = look.since(folder, seen, scope);
      this.#took += runtime.uptime() - began;
      this.#until = runtime.uptime() + holdsFor("tree", this.#took);
      return found;
    };
  }
}
