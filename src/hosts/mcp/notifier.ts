/** Tells a client that resources changed, for changes of every caller. Begins when the client shows that it cares. */
import type { Server } from "@modelcontextprotocol/server";
import type { WatchChange } from "../../index.ts";
import type { Workspaces } from "../../engine/workspaces.ts";
import type { Place } from "./resources.ts";
import { placesOf, planOf, radarUri, urisOf } from "./resources.ts";

export class Notifier {
  readonly #workspaces: Workspaces;
  readonly #server: () => Server | undefined;
  readonly #failed: (e: unknown) => void;
  readonly #polling: boolean;
  /** URIs asked for one by one, as before the revision of 2026; undefined: the transport knows which are wanted. */
  #wanted: Set<string> | undefined;
  #began = false;
  /** The plan of each task that changed: it stays the same, and a deleted task does not tell it any more. */
  readonly #plans = new Map<string, string | null>();

  constructor(
    workspaces: Workspaces,
    server: () => Server | undefined,
    failed: (e: unknown) => void,
    polling: boolean,
  ) {
    this.#workspaces = workspaces;
    this.#server = server;
    this.#failed = failed;
    this.#polling = polling;
  }

  /** From now on, until the workspaces are closed. */
  begin(): void {
    if (this.#began) return;
    this.#began = true;
    for (const place of placesOf(this.#workspaces)) this.#run(place).catch(this.#failed);
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

  async #run(place: Place): Promise<void> {
    const onChange = (changes: readonly WatchChange[]): void => void this.#tell(place, changes).catch(this.#failed);
    const events = place.workspace.watch({ onChange, polling: this.#polling });
    // The events are in the resources; that some landed is all there is to tell.
    while (!(await events.next()).done);
  }

  async #tell(place: Place, changes: readonly WatchChange[]): Promise<void> {
    const server = this.#server();
    if (!server) return;
    const uris = new Set(changes.flatMap(({ id }) => urisOf(place.qualified(id))));
    for (const uri of await this.#radarsOfPlans(place, changes)) uris.add(uri);
    for (const uri of uris) if (!this.#wanted || this.#wanted.has(uri)) await server.sendResourceUpdated({ uri });
    if (changes.some(({ what }) => what !== "changed")) await server.sendResourceListChanged();
  }

  /** A plan's radar says how its tasks stand, so it changes with them. */
  async #radarsOfPlans({ workspace, qualified }: Place, changes: readonly WatchChange[]): Promise<string[]> {
    if (this.#wanted && ![...this.#wanted].some((uri) => uri.endsWith("/radar"))) return [];
    for (const { id } of changes) {
      if (!this.#plans.has(qualified(id))) this.#plans.set(qualified(id), await planOf(workspace, id));
    }
    return changes.flatMap(({ id }) => {
      const plan = this.#plans.get(qualified(id));
      return plan ? [radarUri(qualified(plan))] : [];
    });
  }
}
