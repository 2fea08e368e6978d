/** Two branches of one log, and what their merge says: ops are sealed as a writer on that branch would. */
import type { Fold } from "../../src/events/fold.ts";
import type { Draft } from "../../src/events/define.ts";
import { foldLog } from "../../src/fold_log.ts";
import { sealOp } from "../../src/log/envelope.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { bytesSource } from "../../src/log/source.ts";
import type { Payload } from "../../src/log/types.ts";
import type { Entity } from "../../src/state/entity.ts";
import { minute, upon } from "./logs.ts";

export class Branches {
  readonly ops: SealedOp[] = [];
  /** What the clock of the next writer says. */
  minute = 0;

  /** Appends an op upon these; none: the first of the log. */
  op(after: SealedOp[], by: string, ...drafts: Draft[]): SealedOp {
    const sealed = sealOp({
      taskId: "TASK-001",
      by,
      ts: minute(this.minute++),
      tool: "test",
      opId: `op-${this.ops.length}`,
      ...upon(...after),
      drafts: drafts as { type: string; payload: Payload }[],
    });
    this.ops.push(sealed);
    return sealed;
  }

  fold(lines: Buffer = Buffer.concat(this.ops.map((o) => o.bytes))): Fold {
    return foldLog(bytesSource(lines)).fold;
  }

  entity(): Entity {
    const { entity } = this.fold();
    if (!entity) throw new Error("no entity");
    return entity;
  }
}
