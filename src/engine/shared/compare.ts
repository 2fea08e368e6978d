/** Compares every message of the shared log with the logs of this machine. Changes nothing. */
import { isKnownType } from "../../events/index.ts";
import { readOps } from "../../log/read_ops.ts";
import type { EngineParts } from "../parts.ts";
import { counted } from "../../state/counted.ts";
import type { VerifiedBatch } from "./verified_batches.ts";
import { MessageDecoder } from "./message_codec.ts";
import type { LackedThere } from "./blob_store.ts";
import type { SharedComparison, SharedFinding } from "./shared_access.ts";
import { entitiesOf } from "./divergence.ts";
import { presentIn } from "./log_home.ts";

type Compared = Pick<SharedComparison, "messages" | "entities" | "findings">;

export async function compare(
  { store }: EngineParts,
  runs: AsyncIterable<VerifiedBatch>,
  last: number,
): Promise<Compared> {
  const findings: SharedComparison["findings"] = [];
  const differing: number[] = [];
  const there = new Map<string, { id: string; hashes: Set<string> }>();
  const decoder = new MessageDecoder();
  for await (const run of runs) {
    differing.push(...run.differing);
    for (const message of run.messages) {
      const received = decoder.decode(message);
      if (received.kind === "none")
        findings.push({ code: "MESSAGE_FOREIGN", id: null, message: `Message ${message.seq} holds no lines of ours.` });
      for (const part of received.kind === "whole" ? received.parts : []) {
        const known = there.get(part.root) ?? { id: part.id, hashes: new Set() };
        for (const { hash } of part.ops) known.hashes.add(hash);
        there.set(part.root, known);
      }
    }
  }
  if (differing.length > 0) findings.push(copyDiffers(differing));
  const seen = new Set<string>();
  for (const id of entitiesOf({ store })) {
    const loaded = presentIn({ store }, id);
    const root = loaded?.report.roots[0]?.hash;
    if (!loaded || root === undefined) continue;
    seen.add(root);
    const here = new Set(
      loaded.log.withSource((source) => readOps(source, { isKnownType }).ops.map(({ hash }) => hash)),
    );
    const shared = there.get(root)?.hashes ?? new Set();
    const [missing, more] = [countBeyond(shared, here), countBeyond(here, shared)];
    if (missing > 0)
      findings.push({
        code: "LOG_LACKS",
        id,
        message: `Its log lacks ${counted(missing, "change")} that the shared log has.`,
      });
    if (more > 0)
      findings.push({ code: "SHARED_LACKS", id, message: `The shared log lacks ${counted(more, "change")} of it.` });
  }
  for (const [root, { id }] of there)
    if (!seen.has(root))
      findings.push({ code: "LOG_LACKS", id, message: "The shared log has it, and this machine has no log of it." });
  return { messages: last, entities: there.size, findings };
}

function copyDiffers([first = 0, ...more]: readonly number[]): SharedFinding {
  const others = more.length === 0 ? "" : ` and in ${counted(more.length, "other")}`;
  return {
    code: "COPY_DIFFERS",
    id: null,
    message: `The copy of one server differs from the leader's in message ${first}${others}. Machines take in the leader's. Let each server that does not lead begin empty, one after the other: it then copies the stream.`,
  };
}

export function lackedThere({ id, path, isHere }: LackedThere["lacking"][number]): SharedFinding {
  const way = isHere
    ? "Run taskfold shared verify --restore: this machine has the bytes."
    : "Run taskfold shared verify --restore on a machine that has the bytes.";
  return {
    code: "BYTES_LACKING",
    id,
    message: `The object store lacks ${path}, or has other bytes in its place. ${way}`,
  };
}

function countBeyond(hashes: ReadonlySet<string>, known: ReadonlySet<string>): number {
  return [...hashes].filter((hash) => !known.has(hash)).length;
}
