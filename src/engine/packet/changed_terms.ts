/** Whether a log got, during an attempt, an event that changes what attempts are judged by (PACKET-382). */
import { EVENTS } from "../../events/index.ts";
import { packetOverrideSet } from "../../events/packet.override_set.ts";
import { stageFinished } from "../../events/stage.finished.ts";
import { stageInterrupted } from "../../events/stage.interrupted.ts";
import { stageReopened } from "../../events/stage.reopened.ts";
import { stageStarted } from "../../events/stage.started.ts";
import type { Event } from "../../log/types.ts";
import { hexForms } from "../../state/derived_hex.ts";

/** The names that an attempt may have by the event that began it. The last is no other's. */
export function runNames({ type, hash, payload }: Event): string[] {
  return type === stageStarted.type ? hexForms(hash, payload["long_ids"] === true) : [];
}

/**
 * `events`: all of the log. `runs`: the attempts that are looked at. An event came during one if its start does not build on the event, and the
 * event builds on none of its ends. So one of another branch counts as well: the log does not say who brought it.
 */
export function changedDuring(events: readonly Event[], runs: ReadonlySet<string>): boolean {
  const byHash = new Map(events.map((event) => [event.hash, event]));
  const terms = events.filter((event) => EVENTS[event.type]?.isHeld && !isEndOfBrief(event, byHash));
  if (terms.length === 0) return false;
  return events.some((start) => {
    const run = runNames(start).findLast((name) => runs.has(name));
    if (run === undefined) return false;
    const seen = ancestorsOf(start, byHash);
    return terms.some((event) => {
      if (seen.has(event)) return false;
      if (event.type === stageReopened.type && event.payload["stage"] !== start.payload["stage"]) return false;
      return !isAfterEnd(event, run, byHash);
    });
  });
}

/** The end of a brief sets the commands in its own op, also while another stage is under way. */
function isEndOfBrief(event: Event, byHash: ReadonlyMap<string, Event>): boolean {
  if (event.type !== packetOverrideSet.type) return false;
  const { run } = event.payload;
  return [...ancestorsOf(event, byHash)].some(
    ({ type, op, payload }) => op.id === event.op.id && type === stageFinished.type && payload["run"] === run,
  );
}

function isAfterEnd(event: Event, run: string, byHash: ReadonlyMap<string, Event>): boolean {
  return [...ancestorsOf(event, byHash)].some(
    ({ type, payload }) => (type === stageFinished.type || type === stageInterrupted.type) && payload["run"] === run,
  );
}

function ancestorsOf(event: Event, byHash: ReadonlyMap<string, Event>): Set<Event> {
  const seen = new Set<Event>();
  for (const open = [event]; open.length > 0;) {
    for (const hash of open.pop()!.prev) {
      const before = byHash.get(hash);
      if (!before || seen.has(before)) continue;
      seen.add(before);
      open.push(before);
    }
  }
  return seen;
}
