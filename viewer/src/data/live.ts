/** The stream of changes: what another process writes is on the page without a click. */
import type { ChangeEvent } from "../../../src/views/viewer/api.ts";
import { store } from "../store.ts";
import { refresh } from "./answers.ts";
import { refreshBoard, takeChanges } from "./board.ts";
import { kind } from "./source.ts";

/** `still`: an export, which never changes. */
export type LiveState = "live" | "lost" | "still" | "starting";
export const liveState = store<LiveState>(kind === "live" ? "starting" : "still");
/** Ids of the last change, for a mark on what changed and a word to screen readers. */
export const lastChange = store<{ ids: string[]; at: number } | null>(null);

let stamp: string | undefined;

export function startLive(): void {
  if (kind !== "live") return;
  const events = new EventSource("api/v1/events");
  events.addEventListener("hello", (event) => {
    liveState.set("live");
    const said = (JSON.parse(event.data as string) as { stamp: string }).stamp;
    // After a break the page cannot know what it missed.
    if (stamp !== undefined && said !== stamp) {
      refresh();
      refreshBoard();
    }
    stamp = said;
  });
  events.addEventListener("change", (event) => {
    const said = JSON.parse(event.data as string) as ChangeEvent;
    const ids = said.changes.map(({ id }) => id);
    stamp = said.stamp;
    takeChanges(said);
    refresh(ids);
    lastChange.set({ ids, at: Date.now() });
  });
  events.addEventListener("error", () => liveState.set("lost"));
}
