/**
 * The log of an entity that shared a folder with an earlier one (LOG-14) and moves to its own. It ends in an event
 * without clock or user, so that two people who resolve the same merge write the same bytes.
 */
import { sealOp } from "../log/envelope.ts";
import { mendLog } from "../log/mend.ts";
import type { SplitEntity } from "../log/mend.ts";
import { taskRehomed } from "../events/task.rehomed.ts";
import { readEntity } from "./entity_on_disk.ts";

/** `home`: the log that stands in the new folder already, from an earlier split here or on another clone. @internal */
export function rehomed(
  entity: SplitEntity,
  { from, to }: { from: string; to: string },
  home: Buffer | undefined,
): Buffer {
  const { root, lines, maxTs, heads, seq } = entity;
  const known = home && readEntity(home, (type) => type === "task.rehomed");
  // Late lines of a clone that did not know of the split join what moved before them.
  if (known?.report.roots[0]?.hash === root && known.events.length > 0) return mendLog([home!, lines]).bytes;
  const draft = taskRehomed.draft({ from, to, root, message: `Moved from ${from}, which another entity had first.` });
  const { bytes } = sealOp({
    taskId: to,
    by: "system",
    ts: maxTs,
    tool: "resolve",
    opId: `rehomed-${root}`,
    heads,
    seq,
    drafts: [draft as never],
  });
  return mendLog([...(home ? [home] : []), lines, bytes]).bytes;
}
