/** Tells every page that listens what has changed: one watch for all of them, as server-sent events. */
import type { ServerResponse } from "node:http";
import { errorReply } from "../../engine/entity/reply.ts";
import type { Viewer } from "../../engine/open_viewer.ts";
import type { ErrorAnswer, SharedSide, StreamState } from "../../views/viewer/api.ts";
import { pause } from "./pause.ts";

const BEAT_MS = 15_000;
const AGAIN_MS = 1000;
/** A reader that takes nothing for so many bytes is let go; it comes back by itself. */
const MAX_WAITING = 1024 * 1024;
export const MAX_LISTENERS = 64;

export class EventHub {
  readonly #viewer: Viewer;
  readonly #log: (message: string) => void;
  readonly #listeners = new Set<ServerResponse>();
  readonly #ended = new AbortController();
  #beat: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #side: () => SharedSide | null;

  constructor(viewer: Viewer, log: (message: string) => void, side: () => SharedSide | null) {
    this.#viewer = viewer;
    this.#log = log;
    this.#side = side;
  }

  /** Begins to watch: what changes from now on is told. */
  start(): void {
    this.#running ??= this.#run();
    this.#beat ??= setInterval(() => this.#send(": \n\n"), BEAT_MS);
    this.#beat.unref();
  }

  get isFull(): boolean {
    return this.#listeners.size >= MAX_LISTENERS;
  }

  async listen(response: ServerResponse): Promise<void> {
    this.start();
    this.#listeners.add(response);
    response.on("close", () => this.#listeners.delete(response));
    response.write("retry: 1000\n");
    await this.#greet(response);
  }

  /** A workspace that is away has no stamp to greet with: the page hears that, and `hello` once it is back. */
  async #greet(response: ServerResponse): Promise<void> {
    let isFailureSent = false;
    const state = await this.#stateOnceRead(
      () => !response.closed,
      (e) => {
        if (!isFailureSent) response.write(failedEvent(e));
        isFailureSent = true;
      },
    );
    if (state !== undefined) response.write(`event: hello\ndata: ${state}\n\n`);
  }

  /** Tells every page of another side of the shared log, once the workspace can be read. */
  async tellSide(): Promise<void> {
    // The look for changes meets the same failure, and tells it.
    const state = await this.#stateOnceRead(
      () => true,
      () => undefined,
    );
    if (state !== undefined) this.#send(`event: shared\ndata: ${state}\n\n`);
  }

  /** Undefined where it is wanted no more before the workspace can be read. */
  async #stateOnceRead(isWanted: () => boolean, failed: (e: unknown) => void): Promise<string | undefined> {
    const { signal } = this.#ended;
    while (isWanted() && !signal.aborted) {
      try {
        return await this.#state();
      } catch (e) {
        failed(e);
      }
      await pause(AGAIN_MS, signal);
    }
    return undefined;
  }

  async #state(): Promise<string> {
    const state: StreamState = { stamp: await this.#viewer.stamp(), shared: this.#side() };
    return JSON.stringify(state);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    clearInterval(this.#beat);
    for (const response of this.#listeners) response.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    let logged = "";
    let isFailed = false;
    while (!signal.aborted) {
      try {
        // No event tells the changes of the break: pages ask again.
        if (isFailed) this.#send(`event: hello\ndata: ${await this.#state()}\n\n`);
        isFailed = false;
        for await (const event of this.#viewer.changes(signal)) {
          this.#send(`event: change\ndata: ${JSON.stringify(event)}\n\n`);
          logged = "";
        }
      } catch (e) {
        // A folder that cannot be looked at now may be there again in a moment. Until then no page counts as live.
        const message = `watching stopped and begins again: ${e instanceof Error ? e.message : String(e)}`;
        if (message !== logged) this.#log(message);
        logged = message;
        if (!isFailed) this.#send(failedEvent(e));
        isFailed = true;
      }
      await pause(AGAIN_MS, signal);
    }
  }

  #send(text: string): void {
    for (const response of this.#listeners) {
      if (response.writableLength > MAX_WAITING) response.destroy();
      else response.write(text);
    }
  }
}

function failedEvent(e: unknown): string {
  const { code, message, recovery = null } = errorReply("view", e).error!;
  const answer: ErrorAnswer = { api: 1, error: { code, message, recovery } };
  return `event: failed\ndata: ${JSON.stringify(answer)}\n\n`;
}
