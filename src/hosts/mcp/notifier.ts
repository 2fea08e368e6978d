/** Tells a client that resources changed, for changes of every caller. Begins when the client shows that it cares. */
import type { Server } from "@modelcontextprotocol/server";
import type { WatchChange } from "../../index.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { planOf, radarUri, urisOf } from "./resources.ts";

export class Notifier {
  readonly #workspace: Workspace;
  readonly #server: () => Server | undefined;
  readonly #failed: (e: unknown) => void;
  /** URIs asked for one by one, as before the revision of 2026; undefined: the transport knows which are wanted. */
  #wanted: Set<string> | undefined;
  #began = false;
  /** The plan of each task that changed: it stays the same, and a deleted task does not tell it any more. */
  readonly #plans = new Map<string, string | null>();

  constructor(workspace: Workspace, server: () => Server | undefined, failed: (e: unknown) => void) {
    this.#workspace = workspace;
    this.#server = server;
    this.#failed = failed;
  }

  /** From now on, until the workspace is closed. */
  begin(): void {
    if (this.#began) return;
    this.#began = true;
    void this.#run();
  }

  subscribe(uri: string): void {
    (this.#wanted ??= new Set()).add(uri);
    this.begin();
  }

  unsubscribe(uri: string): void {
    this.#wanted?.delete(uri);
  }

  /** A client of before 2026 hears only of URIs that it asked for. */
  onlyWanted(): void {
    this.#wanted ??= new Set();
  }

  async #run(): Promise<void> {
    try {
      const events = this.#workspace.watch({ onChange: (changes) => void this.#tell(changes).catch(this.#failed) });
      // The events are in the resources; that some landed is all there is to tell.
      while (!(await events.next()).done);
    } catch (e) {
      this.#failed(e);
    }
  }

  async #tell(changes: readonly WatchChange[]): Promise<void> {
    const server = this.#server();
    if (!server) return;
    const uris = new Set(changes.flatMap(({ id }) => urisOf(id)));
    for (const uri of await this.#radarsOfPlans(changes)) uris.add(uri);
    for (const uri of uris) if (!this.#wanted || this.#wanted.has(uri)) await server.sendResourceUpdated({ uri });
    if (changes.some(({ what }) => what !== "changed")) await server.sendResourceListChanged();
  }

  /** A plan's radar says how its tasks stand, so it changes with them. */
  async #radarsOfPlans(changes: readonly WatchChange[]): Promise<string[]> {
    if (this.#wanted && ![...this.#wanted].some((uri) => uri.endsWith("/radar"))) return [];
    for (const { id } of changes) {
      if (!this.#plans.has(id)) this.#plans.set(id, await planOf(this.#workspace, id));
    }
    return changes.flatMap(({ id }) => {
      const plan = this.#plans.get(id);
      return plan ? [radarUri(plan)] : [];
    });
  }
}
