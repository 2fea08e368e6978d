/** The stream of changes: what another process writes is on the page without a click. */
import type { ChangeEvent, StreamState } from "../../../src/views/viewer/api.ts";
import { store } from "../store.ts";
import { refresh } from "./answers.ts";
import { refreshBoard, takeChanges } from "./board.ts";
import { noteChanged } from "./changed_ids.ts";
import type { StreamMessage } from "./event_stream.ts";
import { listenToEvents } from "./event_stream.ts";
import { kind, streamBegins } from "./source.ts";

/** `alone`: live, but for other machines, whose shared log cannot be asked. `failed`: the server cannot read the workspace. `refused`: it does not know this browser. `full`: too many pages listen. `still`: an export, which never changes. */
export type LiveState = "live" | "alone" | "lost" | "failed" | "refused" | "full" | "still" | "starting";
export const liveState = store<LiveState>(kind === "live" ? "starting" : "still");

let stamp: string | undefined;
/** Whether a `hello` said as of which stamp the stream began. */
let hasBegun = false;
/** For a while nothing was told, and no `hello` has come since. */
let hadBreak = false;
let shared: StreamState["shared"] = null;

export function startLive(): void {
  if (kind === "live") listenToEvents(take);
}

function take(message: StreamMessage): void {
  if (message.kind === "break") hadBreak ||= hasBegun;
  else if (message.kind === "change") change(message.event);
  else if (message.kind === "hello") greet(message.state);
  else if (message.kind === "shared") {
    ({ shared } = message.state);
    showLive();
  } else away(message.kind);
}

function away(how: "lost" | "failed" | "refused" | "full"): void {
  if (liveState.get() === how) return;
  hadBreak = true;
  liveState.set(how);
  // The server answers again, though it tells this page no changes: what was asked for while it was away is asked for once more.
  if (how === "refused" || how === "full") readAgain();
}

function readAgain(): void {
  refresh();
  refreshBoard();
}

/** Only `hello` ends a break: on a new stream something else may be told before it. */
function showLive(): void {
  if (!hadBreak) liveState.set(shared === "away" ? "alone" : "live");
}

function greet(state: StreamState): void {
  const isBack = hadBreak;
  hadBreak = false;
  ({ shared } = state);
  showLive();
  // The page cannot know what it missed before the stream began or in a break, and what it asked for in a break was refused.
  const isOther = hasBegun ? state.stamp !== stamp : streamBegins(state.stamp);
  if (isBack || isOther) readAgain();
  ({ stamp } = state);
  hasBegun = true;
}

function change(event: ChangeEvent): void {
  const ids = event.changes.map(({ id }) => id);
  showLive();
  stamp = event.stamp;
  takeChanges(event);
  refresh([...ids, ...event.others.map(({ id }) => id)]);
  noteChanged(ids);
}
