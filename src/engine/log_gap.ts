/** Declares lines lost that nobody has any more (RESOLVE-15). Without clock or user: clones that miss the same lines write the same bytes. */
import { logGap } from "../events/log.gap.ts";
import { sha256 } from "../log/canonical.ts";
import { sealOp } from "../log/envelope.ts";
import { readEntity } from "./entity_on_disk.ts";

/** The op that lets what waits in this log take effect; null where nothing waits, or where nothing can be told to go on from. @internal */
export function gapOp(id: string, log: Buffer): { bytes: Buffer; hashes: string[] } | null {
  const { report, entity, events } = readEntity(log, () => true);
  const { missing, heads, seq } = report;
  if (!entity || missing.length === 0 || report.newer) return null;
  const lines = missing.length === 1 ? "A line is lost" : `${missing.length} lines are lost`;
  const draft = logGap.draft({ void: [...missing], message: `${lines}; what waited for it goes on from here.` });
  const { bytes } = sealOp({
    taskId: id,
    by: "system",
    // Of what is in effect alone: which lines wait may differ between clones that miss the same.
    ts: events.reduce((latest, { ts }) => (ts > latest ? ts : latest), ""),
    tool: "resolve",
    opId: `gap-${sha256(missing.join(" "))}`,
    heads,
    seq,
    drafts: [draft as never],
  });
  return { bytes, hashes: missing };
}
