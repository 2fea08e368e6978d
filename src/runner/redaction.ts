import { redactorOf } from "../rules/packet/redact.ts";
import type { Packet } from "../state/packet.ts";

/** Masks what a packet's manifest, and what is built in, calls a secret or a forbidden path. */
export function redactionOf({ manifest }: Packet): (text: string) => string {
  const { redact } = redactorOf(manifest.security);
  return (text) => redact(text).text;
}
