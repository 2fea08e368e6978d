/**
 * The stream of the server's events, one for all pages of a browser. A browser gives a host six connections, and each stream holds one.
 * The page that has the lock listens and tells the others. If it closes, the next one has the lock.
 */
import type { ChangeEvent, StreamState } from "../../../src/views/viewer/api.ts";

export type StreamMessage =
  | { kind: "hello" | "shared"; state: StreamState }
  | { kind: "change"; event: ChangeEvent }
  /** `failed`: the server is there, and cannot read its workspace. */
  | { kind: "failed" }
  /** The server does not know this browser. */
  | { kind: "refused" }
  /** As many pages listen as the server takes. */
  | { kind: "full" }
  | { kind: "lost" }
  /** For a while the page had no stream. It may lack changes that leave the stamp as it is, such as the end of a claim. */
  | { kind: "break" };

const NAME = "taskfold-events";
/** The question of a page that came later. */
const HOW = "how does it stand";

export function listenToEvents(take: (message: StreamMessage) => void): void {
  // Only a secure context has locks: another machine over plain HTTP has none.
  if (!("locks" in navigator) || typeof BroadcastChannel !== "function") return listenInSight(take);
  const channel = new BroadcastChannel(NAME);
  let last: StreamMessage | undefined;
  let shared: StreamState["shared"] = null;
  let isFirst = false;
  channel.addEventListener("message", ({ data }: MessageEvent<StreamMessage | typeof HOW>) => {
    if (data !== HOW) take(data);
    else if (isFirst && last) channel.postMessage(last);
  });
  channel.postMessage(HOW);
  void navigator.locks.request(NAME, () => {
    isFirst = true;
    // The page that listened before is closed.
    take({ kind: "break" });
    channel.postMessage({ kind: "break" });
    open((message) => {
      if (message.kind === "hello" || message.kind === "shared") shared = message.state.shared;
      // A page that asks later has to know how it stands, not of the change.
      const stamp = message.kind === "change" ? message.event.stamp : "state" in message ? message.state.stamp : null;
      last = stamp === null ? message : { kind: "hello", state: { stamp, shared } };
      channel.postMessage(message);
      take(message);
    });
    // Until the page is closed.
    return new Promise<never>(() => undefined);
  });
}

/** A page that is out of sight lets its connection go. */
function listenInSight(take: (message: StreamMessage) => void): void {
  let stream: Stream | undefined;
  const look = (): void => {
    if (document.hidden) {
      stream?.close();
      stream = undefined;
      take({ kind: "break" });
    } else stream ??= open(take);
  };
  document.addEventListener("visibilitychange", look);
  look();
}

/** Milliseconds until a page tries again that the server refused: it may have been started anew, and has another token then. */
const AGAIN = 3000;

interface Stream {
  close: () => void;
}

function open(take: (message: StreamMessage) => void): Stream {
  let events = connect(take, again);
  let timer: ReturnType<typeof setTimeout> | undefined;
  function again(): void {
    timer = setTimeout(() => (events = connect(take, again)), AGAIN);
  }
  return {
    close: () => {
      clearTimeout(timer);
      events.close();
    },
  };
}

function connect(take: (message: StreamMessage) => void, again: () => void): EventSource {
  const events = new EventSource("api/v1/events");
  for (const kind of ["hello", "shared"] as const)
    events.addEventListener(kind, ({ data }: MessageEvent<string>) =>
      take({ kind, state: JSON.parse(data) as StreamState }),
    );
  events.addEventListener("change", ({ data }: MessageEvent<string>) =>
    take({ kind: "change", event: JSON.parse(data) as ChangeEvent }),
  );
  events.addEventListener("failed", () => take({ kind: "failed" }));
  events.addEventListener("error", () => {
    // The browser itself tries again unless the answer was a refusal.
    if (events.readyState !== EventSource.CLOSED) return take({ kind: "lost" });
    void whyRefused().then((kind) => take({ kind }));
    again();
  });
  return events;
}

/** A stream that is refused does not say why; the head of its answer does. */
async function whyRefused(): Promise<"refused" | "full" | "lost"> {
  const how: RequestInit = { method: "HEAD", cache: "no-store", credentials: "same-origin" };
  const answer = await fetch("api/v1/events", how).catch(() => undefined);
  return answer?.status === 401 ? "refused" : answer?.status === 503 ? "full" : "lost";
}
