/** Calls that change one entity, in turn. Those of this process that come while one is written share the next write. */
import type { ChangeParts } from "./change.ts";
import { change } from "./change.ts";
import type { Job } from "./entity/job.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";

/** Most jobs that share a write: what one lock holder may keep others waiting for. */
const MAX_JOBS = 64;

export class WriteQueue {
  readonly #parts: ChangeParts;
  readonly #loaded: LoadedEntity;
  readonly #waiting: Job[] = [];
  #running = false;

  constructor(parts: ChangeParts, loaded: LoadedEntity) {
    this.#parts = parts;
    this.#loaded = loaded;
  }

  /** Takes its turn; calls made in the same tick go out together. */
  submit(job: Job): void {
    this.#waiting.push(job);
    if (this.#running) return;
    this.#running = true;
    // A resolved promise and not queueMicrotask, which makes an async resource for each call.
    // oxlint-disable-next-line typescript/no-floating-promises -- a change answers every job, also where it throws
    void Promise.resolve().then(this.#run);
  }

  readonly #run = async (): Promise<void> => {
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, MAX_JOBS);
      // In front of those that came since: calls keep their order.
      this.#waiting.unshift(...(await change(this.#parts, this.#loaded, jobs, this.#waiting)));
    }
    this.#running = false;
  };
}
