/** Idempotency keys as the logs of a root have them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Keys of every op in every log of a root, in no particular order; an op counts when its last event is there. */
export function keysInLogs(root: string): string[] {
  return ["tasks", "archive"].flatMap((part) => {
    const folder = join(root, ".coco", part);
    return names(folder).flatMap((id) => {
      if (!names(join(folder, id)).includes("events.jsonl")) return [];
      const lines = readFileSync(join(folder, id, "events.jsonl"), "utf8").split("\n");
      const events = new Map(lines.flatMap((line) => parsed(line).map((event) => [line, event] as const)));
      return [...events.values()].flatMap(({ op }) => (op.n === op.of && op.key !== undefined ? [op.key] : []));
    });
  });
}

/** A line's event, or nothing: a write may be cut anywhere, also just behind a brace inside its line. */
function parsed(line: string): { op: { key?: string; n: number; of: number } }[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function names(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
