import type { Entity } from "../state/entity.ts";
import { liveConflicts, liveGates } from "../state/live.ts";
import { isStopped, nextAction } from "../state/packet_next.ts";
import { statusOf } from "../state/status.ts";

export type CocoState = "created" | "working" | "input-required" | "completed" | "failed" | "canceled";

/** The entity's state in the words of Coco's task.yaml (DIR-12). An ended entity waits for no input. */
export function cocoState(entity: Entity): CocoState {
  if (entity.status === "DONE") return "completed";
  if (entity.status === "FAILED") return "failed";
  if (entity.status === "CANCELED") return "canceled";
  if (liveConflicts(entity).length > 0) return "input-required";
  if (liveGates(entity).some((gate) => gate.state === "blocked")) return "input-required";
  if (entity.packet && isStopped(nextAction(entity.packet))) return "input-required";
  return statusOf(entity) === "ACTIVE" ? "working" : "created";
}
