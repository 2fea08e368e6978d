/** The state as it was right after one op: the log replayed up to it. Costs a read of the log, so for rare questions. */
import { TaskfoldError } from "../errors.ts";
import { Fold } from "../events/fold.ts";
import { isKnownType } from "../events/index.ts";
import { headDigest } from "../log/canonical.ts";
import { Replay } from "../log/replay.ts";
import type { Event, Op } from "../log/types.ts";
import type { Subject } from "../state/entity.ts";
import type { Handle } from "./handle.ts";

export function replyAt(handle: Handle, workspace: string, opHash: string): { subject: Subject; events: Event[] } {
  const fold = new Fold();
  let found: Op | undefined;
  const replay = new Replay(
    {
      reset: () => {
        fold.reset();
        found = undefined;
      },
      op: (op, place) => {
        if (found) return;
        fold.op(op, place);
        if (op.hash === opHash) found = op;
      },
    },
    { isKnownType },
  );
  handle.log.withSource((source) => replay.load(source));
  if (!found || !fold.entity) {
    throw new TaskfoldError("INTERNAL", `Expected op ${opHash} in the log of ${handle.id}, found none.`);
  }
  return {
    subject: { id: handle.id, workspace, entity: fold.entity, head: headDigest([found.last]) },
    events: found.events,
  };
}
