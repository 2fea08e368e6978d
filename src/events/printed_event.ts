import type { JsonObject } from "../state/json.ts";

/** An event as tools print it: `step_done` for `step.done`, the payload's keys beside these four. */
export interface PrintedEvent extends JsonObject {
  event_id: string;
  type: string;
  ts: string;
  task: string;
  by: string;
}
