/**
 * Makes plans and tasks of the items of other trackers. Each item is one transaction with a key of its own, so that an
 * import may be repeated.
 */
import type { Warning } from "../../errors.ts";
import type { Kind } from "../../state/entity.ts";
import { object, text } from "../../state/schema.ts";
import { batchTool } from "../../tools/batch_tool.ts";
import type { BatchTool } from "../../tools/batch_tool.ts";
import type { PartCall } from "../../tools/calls.ts";
import type { EngineParts } from "../parts.ts";
import type { Caller } from "../entity/job.ts";

export interface ForeignItem {
  /** The same for the same item of the same tracker, for ever. */
  key: string;
  kind: Kind;
  id: string;
  /** The call that makes it, and then what is said of it. */
  calls: readonly PartCall[];
}

/** Returns the warnings of the change. @internal */
export async function importItem(engine: EngineParts, item: ForeignItem, caller: Caller): Promise<readonly Warning[]> {
  const workspace = engine.binding?.workspace ?? "";
  const { warnings } = await engine.transact({
    tool: toolFor(item),
    input: { idempotency_key: item.key },
    workspace,
    caller,
  });
  return warnings;
}

/** @internal */
export function importedBefore(engine: EngineParts, keys: ReadonlySet<string>): Promise<Map<string, string>> {
  return engine.madeBy(engine.binding?.workspace ?? "", keys);
}

function toolFor({ kind, id, calls }: ForeignItem): BatchTool {
  return batchTool({
    name: "import",
    title: "import",
    doc: "An item of another tracker.",
    input: object({ idempotency_key: text() }),
    output: object({}),
    examples: [{ idempotency_key: "import" }],
    target: "workspace",
    parts: (_input, ctx) => {
      ctx.newId(kind, id);
      return [...calls];
    },
    reply: () => ({ result: {} }),
  });
}
