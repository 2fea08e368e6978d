import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { manifest, plan } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

export const packetDefined = defineEvent({
  type: "packet.defined",
  doc: "The task carries a packet from here on, with this manifest and the stages that routing made of it.",
  payload: openObject({ manifest, plan, message }),
  undoable: false,
  undo: "Cannot be undone: define the packet anew.",
  apply: (entity, p, { ts }, w) => {
    if (entity.kind !== "task") return;
    w.write(entity, "manifest", p.manifest);
    const packet = entity.packet ?? {
      inputs: [],
      removed_inputs: [],
      attempts: [],
      done: {},
      paid_calls_used: 0,
      signatures: {},
      failures: {},
      override: null,
      archived: false,
    };
    w.writeUntracked(entity, "packet", { ...packet, manifest: p.manifest, plan: p.plan, updated_at: ts });
    recomputePacket(entity, w);
  },
});
