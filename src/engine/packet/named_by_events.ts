/** Files of a packet that its events name by size and digest. */
import type { Packet, PacketFile } from "../../state/packet.ts";
import { promptFile } from "../../state/packet.ts";
import type { NamedFile } from "../core/remote_bytes.ts";

/** Every file that an event names, the dropped ones too. */
export function namedFiles({ attempts }: Packet): PacketFile[] {
  return attempts.flatMap(({ ended }) => Object.values(ended?.files ?? {}));
}

/** Outputs, logs and prompts at the paths that they have now; files that the archive dropped are left out. */
export function filesOfPacket(packet: Packet): NamedFile[] {
  const kept = namedFiles(packet).filter(({ dropped }) => dropped !== true);
  return [...kept, ...promptsOf(packet)].map(({ path, sha256 }) => ({ path, sha256 }));
}

/** Digests of all that an event of the packet names, prompts of earlier attempts too: bytes of its own, wherever they lie. */
export function digestsOfPacket(packet: Packet): Set<string> {
  const prompts = packet.attempts.flatMap(({ prompt_sha256 }) => prompt_sha256 ?? []);
  return new Set([...filesOfPacket(packet).map(({ sha256 }) => sha256), ...prompts]);
}

export interface NamedPrompt {
  path: string;
  stage: string;
  sha256: string;
}

/** The prompt of a stage is that of its latest attempt. @internal */
export function promptsOf({ attempts }: Packet): NamedPrompt[] {
  const latest = new Map(attempts.map((one) => [promptFile(one.stage), one]));
  return [...latest].flatMap(([path, { stage, prompt_sha256, imported }]) =>
    // Another program composed that of its own run, by other rules.
    prompt_sha256 === null || imported === true ? [] : [{ path, stage, sha256: prompt_sha256 }],
  );
}
