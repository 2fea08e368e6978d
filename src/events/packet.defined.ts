import { openObject, optional } from "../state/schema.ts";
import type { Packet } from "../state/packet.ts";
import { isUnderWay } from "../state/packet.ts";
import { defineEvent } from "./define.ts";
import { config, manifest, plan } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

export const packetDefined = defineEvent({
  type: "packet.defined",
  doc: "The task carries a packet from here on, with this manifest and the stages that routing made of it.",
  payload: openObject({ manifest, plan, config: optional(config), message }),
  undoable: false,
  undo: "Cannot be undone: define the packet anew.",
  isHeld: (_payload, packet, at) => isUnderWay(packet, at),
  apply: (entity, p, { ts }, w) => {
    if (entity.kind !== "task") return;
    w.write(entity, "manifest", p.manifest);
    const packet: Omit<Packet, "manifest" | "plan" | "updated_at"> = entity.packet ?? {
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
    // Two branches may have planned with two of them: the plan in effect finds its own by the digest.
    const configs = p.config ? { ...packet.configs, [p.plan.config_sha256]: p.config } : packet.configs;
    w.writeUntracked(entity, "packet", {
      ...packet,
      ...(configs ? { configs } : {}),
      manifest: p.manifest,
      plan: p.plan,
      updated_at: ts,
    });
    recomputePacket(entity, w);
  },
});
