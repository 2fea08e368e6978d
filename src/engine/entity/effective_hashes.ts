/** Which events of a log are in effect: what a writer reads back, whatever bytes stand between its lines. */
import { isKnownType } from "../../events/index.ts";
import type { FileLog } from "../../log/file_log.ts";
import { readOps } from "../../log/read_ops.ts";

export function effectiveHashes(log: FileLog): Set<string> {
  const { ops } = log.withSource((source) => readOps(source, { isKnownType }));
  return new Set(ops.flatMap((op) => op.events.map(({ hash }) => hash)));
}
