/** The stream of changes: what another process writes is on the page without a click. */
import type { ChangeEvent, StreamState } from "../../../src/views/viewer/api.ts";
import { store } from "../store.ts";
import { refresh } from "./answers.ts";
import { refreshBoard, takeChanges } from "./board.ts";
import type { Said } from "./event_stream.ts";
import { listenToEvents } from "./event_stream.ts";
import { kind, streamBegins } from "./source.ts";

/** `alone`: live, but for other machines, whose shared log cannot be asked. `failed`: the server cannot read the workspace. `still`: an export, which never changes. */
export type LiveState = "live" | "alone" | "lost" | "failed" | "still" | "starting";
export const liveState = store<LiveState>(kind === "live" ? "starting" : "still");
/** Ids of the last change, for a mark on what changed and a word to screen readers. */
export const lastChange = store<{ ids: string[]; at: number } | null>(null);

let stamp: string | undefined;
let shared: StreamState["shared"] = null;

export function startLive(): void {
  if (kind === "live") listenToEvents(take);
}

function take(said: Said): void {
  if (said.kind === "lost" || said.kind === "failed") liveState.set(said.kind);
  else if (said.kind === "change") change(said.event);
  else {
    ({ shared } = said.state);
    if (said.kind === "hello") greet(said.state.stamp);
    else isLive();
  }
}

function isLive(): void {
  liveState.set(shared === "away" ? "alone" : "live");
}

function greet(said: string): void {
  const isBack = liveState.get() === "lost" || liveState.get() === "failed";
  isLive();
  // The page cannot know what it missed before the stream began or in a break, and what it asked for in a break was refused.
  const isOther = stamp === undefined ? streamBegins(said) : said !== stamp;
  if (isBack || isOther) {
    refresh();
    refreshBoard();
  }
  stamp = said;
}

function change(event: ChangeEvent): void {
  const ids = event.changes.map(({ id }) => id);
  isLive();
  stamp = event.stamp;
  takeChanges(event);
  refresh([...ids, ...event.others.map(({ id }) => id)]);
  lastChange.set({ ids, at: Date.now() });
}
