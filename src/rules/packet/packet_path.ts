/** Paths that a packet names: what its scope covers, and the files of its inputs. */
import { INVISIBLE } from "../../state/invisible.ts";
import { pathFault, withoutDot } from "../relative_path.ts";

/** Inputs that the seed names; every other one is an attachment. */
const INPUTS = ["user_request.md", "context_pack.md"];
const ATTACHMENTS = "attachments/";
const NAME_BYTES = 200;

/** Names that Windows keeps for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const FORBIDDEN = /[<>:"|?*]/;
const UNSEEN = new RegExp(`[${INVISIBLE}]`, "u");

/** Why a path covers nothing below the root, or null. `.` is the root itself; a folder may end in `/`. */
export function scopeFault(path: string): string | null {
  const plain = withoutDot(path).replace(/\/$/, "");
  if (plain === "" || plain === ".") return path.startsWith("/") ? "it is absolute" : null;
  const fault = pathFault(plain);
  if (fault !== null) return fault;
  return /[*?]/.test(plain) ? "patterns are not expanded; name the folder, such as src/" : null;
}

/** Why a path below `inputs/` is none of a packet, or null. */
export function inputFault(path: string): string | null {
  if (INPUTS.includes(path)) return null;
  if (path.startsWith(ATTACHMENTS)) return attachmentFault(path.slice(ATTACHMENTS.length));
  return `inputs are ${INPUTS.join(", ")} and ${ATTACHMENTS}<name>`;
}

/** Why no attachment may have this name, or null: every checkout has to be able to hold it, on every platform. */
export function attachmentFault(name: string): string | null {
  // Before the rest: one letter and a colon are no drive here.
  const forbidden = FORBIDDEN.exec(name)?.[0];
  if (forbidden !== undefined) return `it has a '${forbidden}', which some file systems refuse`;
  const fault = pathFault(name);
  if (fault !== null) return fault;
  if (name.includes("/")) return "attachments have no folders below them";
  if (UNSEEN.test(name)) return "it has an invisible character";
  if (/^\s|[\s.]$/.test(name)) return "it begins or ends with a blank, or ends with a dot";
  if (DEVICE.test(name)) return "it is the name of a device";
  return new TextEncoder().encode(name).length > NAME_BYTES ? `it has more than ${NAME_BYTES} bytes` : null;
}
