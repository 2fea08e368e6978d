/** What a sweep of the archive looks at (ARCHIVE-5). */
import type { Retention } from "../rules/retention.ts";
import { isAway } from "../state/archive.ts";
import { foreignFolder } from "./entities.ts";
import { handEdits } from "./hand_edits.ts";
import type { Caller } from "./job.ts";
import { packetHolder } from "./packet_holder.ts";
import type { Readable } from "./readable.ts";
import { refuseUnwritable } from "./writable.ts";
import { isoTime } from "./world.ts";

export function retentionOf(
  { world, store, entities, listing }: Readable,
  { workspace, caller }: { workspace: string; caller: Caller },
): Retention {
  const now = isoTime(world.now());
  return {
    now,
    inSeconds: (seconds) => new Date(Date.parse(now) + seconds * 1000).toISOString(),
    by: caller.by,
    rows: () => listing.rows(workspace).rows,
    find: (ref) => entities.subjectOf(ref, workspace),
    open: (id) => {
      const { handle, subject, foreign } = entities.find(workspace, { id, from: "input" });
      if (isAway(subject.entity)) return subject;
      if (foreign) throw foreignFolder(handle.id);
      refuseUnwritable(handle);
      return subject;
    },
    dispatcher: (id) => packetHolder(world, id),
    edited: (id) => {
      const handle = store.find(id);
      return handle ? handEdits(world, handle, workspace) : [];
    },
  };
}
