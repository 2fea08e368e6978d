/** Whether a log here and the shared log are in step. Git brings ops that the shared log lacks, and takes away some that it has. */
import { isTaskfoldError } from "../../errors.ts";
import { isKnownType } from "../../events/index.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { canonicalJson } from "../../log/canonical.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Event, Op } from "../../log/types.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Store } from "../entity/store.ts";
import type { VerifiedBatch } from "./verified_batches.ts";
import { notPublishable } from "./failures.ts";
import { areSameHeads, opsBeyond } from "./heads.ts";
import type { SharedOp, SharedPart } from "./message_codec.ts";
import { MessageDecoder } from "./message_codec.ts";
import type { ConsumerCheckpoint } from "./consumer_checkpoint.ts";
import type { ApplyParts } from "./apply.ts";
import { applyMessages } from "./apply.ts";
import { homeOf, presentIn } from "./log_home.ts";

/** Most bytes of ops in a part: several parts share a message. */
const MAX_BYTES = 256 * 1024;

interface Stores {
  readonly store: Store;
}

/** Every plan and task of this machine, archived ones too. */
export function entitiesOf({ store }: Stores): string[] {
  return [...new Set([...store.ids(), ...store.archivedIds()])];
}

/** Whether the log ends otherwise than the shared log knows it. False for what has no log of ours. */
export function isDivergent(from: Stores, checkpoint: ConsumerCheckpoint, id: string): boolean {
  const loaded = loadedOf(from, id);
  const root = loaded?.report.roots[0]?.hash;
  if (!loaded || root === undefined) return false;
  return !areSameHeads(loaded.report.heads, checkpoint.headsOf(root) ?? []);
}

/**
 * The ops of an entity that the shared log lacks, in order. Ops that the log here lacks are put back first, which adds to `changed`;
 * `tell` hears of them. LOG_UNREADABLE where the state in memory says that it lacks some, and the log cannot be read any more.
 */
export async function lackingParts(
  from: ApplyParts,
  checkpoint: ConsumerCheckpoint,
  id: string,
  {
    messages,
    changed,
    tell,
  }: {
    messages: () => AsyncIterable<VerifiedBatch>;
    changed: Set<string>;
    tell: (parts: readonly SharedPart[]) => void;
  },
): Promise<SharedPart[]> {
  const loaded = loadedOf(from, id);
  const root = loaded?.report.roots[0]?.hash;
  if (!loaded || root === undefined) return [];
  const heads = checkpoint.headsOf(root) ?? [];
  if (areSameHeads(loaded.report.heads, heads)) return [];
  let ops = readable(loaded);
  const known = new Set(ops.flatMap(({ events }) => events.map(({ hash }) => hash)));
  if (heads.some((hash) => !known.has(hash))) {
    const lost = await opsIn(messages(), root);
    const missing = lost.filter(({ hash }) => !known.has(hash));
    const [first] = missing;
    if (first) {
      const back = [{ id, made: false, prev: first.events[0]!.prev, root, ops: missing }];
      await applyMessages(from, [back], changed);
      // Git may have taken the bytes that they name, too.
      tell(back);
    }
    ops = opsOf(loadedOf(from, id) ?? loaded);
  }
  return partsOf(id, root, opsBeyond(ops, heads), heads.length === 0);
}

function partsOf(id: string, root: string, ops: readonly Op[], isNew: boolean): SharedPart[] {
  const parts: SharedPart[] = [];
  let bytes = Infinity;
  for (const { hash, events } of ops) {
    const op: SharedOp = { hash, events, bytes: Buffer.from(events.map((e) => `${canonicalJson(e)}\n`).join("")) };
    if (bytes + op.bytes.length > MAX_BYTES) {
      parts.push({ id, made: isNew && hash === root, prev: events[0]!.prev, root, ops: [] });
      bytes = 0;
    }
    parts.at(-1)!.ops.push(op);
    bytes += op.bytes.length;
  }
  return parts;
}

/** Undefined where the log cannot be read: calls about other plans and tasks go on, and one about this one is refused with the reason. */
function loadedOf(from: Stores, id: string): LoadedEntity | undefined {
  try {
    return presentIn(from, id);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return undefined;
  }
}

function readable(loaded: LoadedEntity): Op[] {
  try {
    return opsOf(loaded);
  } catch (e) {
    throw errnoOf(e) === undefined ? e : notPublishable(loaded, e);
  }
}

/** Events in effect of a plan or task. */
export function eventsOf(from: Stores, id: string): Event[] {
  const loaded = loadedOf(from, id);
  return loaded ? opsOf(loaded).flatMap(({ events }) => events) : [];
}

/** Ops of the log that has the entity of a part, wherever its folder lies now. None where it cannot be read. */
export function opsHere(from: Stores, part: Pick<SharedPart, "id" | "root">): Op[] {
  return (
    unlessRefused(() => {
      const home = homeOf(from, part);
      const loaded = home && loadedOf(from, home.id);
      return loaded ? opsOf(loaded) : [];
    }) ?? []
  );
}

function opsOf(loaded: LoadedEntity): Op[] {
  return loaded.log.withSource((source) => readOps(source, { isKnownType }).ops);
}

/** Every op of an entity in the shared log. Reads all of it: asked only where git took lines away. */
async function opsIn(messages: AsyncIterable<VerifiedBatch>, root: string): Promise<SharedOp[]> {
  const decoder = new MessageDecoder();
  const ops: SharedOp[] = [];
  for await (const run of messages)
    for (const message of run.messages) {
      const received = decoder.decode(message);
      if (received.kind !== "whole") continue;
      for (const part of received.parts) if (part.root === root) ops.push(...part.ops);
    }
  return ops;
}
