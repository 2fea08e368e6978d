/** Outputs of a packet under the names that its log gives them: an attempt of another machine or branch may come behind one of this. */
import { writeContents } from "../commit/named_files.ts";
import { acquire } from "../core/lock.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { renamedOutputs } from "../packet/packet_files.ts";
import type { EngineParts } from "../parts.ts";

/** Renames them. Call with a plan or task that is caught up. */
export async function renameOutputs({ context }: Pick<EngineParts, "context">, loaded: LoadedEntity): Promise<void> {
  const { disk, lockTimeoutMs: timeoutMs, now } = context;
  const due = () => {
    const packet = loaded.entity?.packet;
    return packet ? renamedOutputs({ disk, folder: loaded.folder }, packet) : [];
  };
  if (due().length === 0) return;
  const lock = await acquire(context.locks(), loaded.id, { timeoutMs, now });
  try {
    if (loaded.catchUp()) writeContents(context, loaded, due());
  } finally {
    lock.release();
  }
}
