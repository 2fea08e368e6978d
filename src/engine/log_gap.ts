/** Declares lines lost that nobody has any more (RESOLVE-15). Without clock or user: clones that miss the same lines write the same bytes. */
import { logGap } from "../events/log.gap.ts";
import { sha256 } from "../log/canonical.ts";
import { sealOp } from "../log/envelope.ts";
import { readEntity } from "./entity_on_disk.ts";

/**
 * The op that lets what waits in this log take effect, and accepts that it lost these ends, by their heads; null where nothing is
 * lost, or where nothing can be told to go on from. @internal
 */
export function gapOp(id: string, log: Buffer, ends: readonly string[]): { bytes: Buffer; hashes: string[] } | null {
  const { report, entity, events } = readEntity(log, () => true);
  const { missing, heads, seq } = report;
  if (!entity || missing.length + ends.length === 0 || report.newer) return null;
  const accepted = ends.toSorted();
  const hashes = [...missing, ...accepted];
  const draft = logGap.draft({
    void: [...missing],
    ...(accepted.length === 0 ? {} : { accepted }),
    message: messageOf(missing.length),
  });
  const { bytes } = sealOp({
    taskId: id,
    by: "system",
    // Of what is in effect alone: which lines wait may differ between clones that miss the same.
    ts: events.reduce((latest, { ts }) => (ts > latest ? ts : latest), ""),
    tool: "resolve",
    opId: `gap-${sha256(hashes.join(" "))}`,
    heads,
    seq,
    drafts: [draft as never],
  });
  return { bytes, hashes };
}

function messageOf(missing: number): string {
  if (missing === 0) return "The end of the log that was missing is accepted as lost.";
  const lines = missing === 1 ? "A line is lost" : `${missing} lines are lost`;
  return `${lines}; what waited for it goes on from here.`;
}
