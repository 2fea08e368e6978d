import { createHash } from "node:crypto";
import type { PacketFile } from "../../state/packet.ts";

/** A text as a file of the packet's folder: its bytes, and how an event names them. */
export function textFile(path: string, text: string): { file: PacketFile; bytes: Uint8Array } {
  const bytes = Buffer.from(text);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { file: { path, size: bytes.length, sha256, lines: linesIn(text) }, bytes };
}

function linesIn(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
