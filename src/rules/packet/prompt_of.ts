/** The prompt of a stage from the packet's inputs, masked once more: a pattern may be newer than an input (PACKET-123). */
import type { Packet } from "../../state/packet.ts";
import { digest } from "../../state/packet_digest.ts";
import { partsOfStage } from "../../state/packet.ts";
import { composePrompt } from "./prompt.ts";
import type { PromptAttachment } from "./prompt.ts";
import { redactorOf } from "./redact.ts";
import { templateFor } from "./templates.ts";

export interface Prompt {
  text: string;
  /** How often each pattern, and each forbidden path, was masked. */
  redactions: Record<string, number>;
}

/** `more`: attachments that earlier stages left. */
export function promptOf(packet: Packet, stage: string, more: readonly PromptAttachment[] = []): Prompt {
  const { manifest, inputs } = packet;
  const { redact } = redactorOf(manifest.security);
  const redactions: Record<string, number> = {};
  const clean = (text: string): string => {
    const masked = redact(text);
    for (const [name, count] of Object.entries({ ...masked.redactions, ...masked.forbidden }))
      redactions[name] = (redactions[name] ?? 0) + count;
    return masked.text;
  };
  const pack = inputs.find(({ path }) => path === "context_pack.md")?.text;
  const own = inputs.flatMap(({ path, text }) =>
    path.startsWith("attachments/") ? [{ name: path.slice("attachments/".length), text }] : [],
  );
  const text = composePrompt({
    template: clean(templateFor(stage, manifest) ?? ""),
    pack: pack === undefined ? null : clean(digest(pack, policyOf(packet, stage)) ?? pack),
    request: clean(inputs.find(({ path }) => path === "user_request.md")?.text ?? manifest.goal),
    attachments: [...own, ...more].map(({ name, text: content }) => ({ name, text: clean(content) })),
  });
  return { text, redactions };
}

/** One servant takes its prompt as an argument, and a prompt that was too large has to become smaller. */
function policyOf(packet: Packet, stage: string): Packet["manifest"]["context"]["digest_policy"] {
  const wasTooLarge = packet.failures[stage]?.class === "prompt_too_large";
  return wasTooLarge || partsOfStage(stage).tool === "copilot" ? "aggressive" : packet.manifest.context.digest_policy;
}
