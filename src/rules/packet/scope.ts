import { phrased } from "../../sentence.ts";
import type { Sentence } from "../../sentence.ts";
import type { Manifest } from "../../state/packet.ts";
import { isEncapsulatedPathLexical } from "../../state/tsk_name.ts";

/** Entries are files or folders. */
export type Scope = { readonly [Part in keyof Manifest["scope"]]: readonly string[] };

/** Why a path may not change, as the end of a sentence; null where it may (PACKET-57). */
export function outOfScope(path: string, { allow, deny }: Scope): Sentence | null {
  const segments = segmentsOf(path);
  if (!segments) return phrased`which is absolute or leaves the workspace`;
  if (segments.some((segment) => segment.toLowerCase() === ".git"))
    return phrased`which belongs to git and to no scope`;
  if (isEncapsulatedPathLexical(path))
    return phrased`which lies in a Taskdoc package, and change_mind alone changes one`;
  if (LOG.test(folded(path)))
    return phrased`which is a log, where tools alone write, and a packet's terms stay while it runs`;
  if (isOwn(folded(path)) && !allow.some((entry) => isOwn(bare(entry)) && covers(entry, segments)))
    return phrased`which lies in the folder of the workspace, where tools alone write`;
  const denied = deny.find((entry) => covers(folded(entry), segments.map(folded)));
  if (denied !== undefined) return phrased`which scope.deny names by "${denied}"`;
  return allow.some((entry) => covers(entry, segments)) ? null : phrased`which scope.allow does not name`;
}

/** The whole work tree. */
const WHOLE: Scope = { allow: ["."], deny: [] };

/** Whether a scope leaves out nothing of what another one names; null: the whole work tree. */
export function coversScope(scope: Scope | null, other: Scope | null): boolean {
  const [wide, narrow] = [scope ?? WHOLE, other ?? WHOLE];
  const covered = (by: string, entry: string): boolean => covers(by, segmentsOf(entry) ?? []);
  const isBelow = (entry: string, entries: readonly string[]): boolean => entries.some((one) => covered(one, entry));
  // An entry denies nothing where no entry allows anything.
  const denied = wide.deny.filter((entry) =>
    narrow.allow.some((one) => covered(folded(one), folded(entry)) || covered(folded(entry), folded(one))),
  );
  return (
    narrow.allow.every((entry) => isBelow(entry, wide.allow)) &&
    denied.every((entry) => isBelow(folded(entry), narrow.deny.map(folded)))
  );
}

/** A log of a plan or task: no scope allows to write it. */
const LOG = /^\.coco\/(?:tasks|archive)\/[^/]+\/events\.jsonl$/;

/** The workspace's own folder, which the engine writes. Elsewhere a folder of that name is one like any other. */
export const OWN = ".coco";

/** Whether it lies in the workspace's own folder. A scope that allows the root allows none of it. */
export function isOwn(path: string): boolean {
  return path === OWN || path.startsWith(`${OWN}/`);
}

function bare(entry: string): string {
  return entry.replace(/^(?:\.?\/)+/, "");
}

/** On some file systems these are one path, and a checkout there must not change what is denied. */
export function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** An entry is a file or a folder, taken literally. */
function covers(entry: string, path: readonly string[]): boolean {
  // The root: everything below it.
  if (entry === "." || entry === "./") return true;
  const segments = segmentsOf(entry);
  return segments !== null && segments.every((segment, i) => path[i] === segment);
}

/** Null for a path that names nothing below the root. */
function segmentsOf(path: string): string[] | null {
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(path)) return null;
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.some((segment) => segment.split("\\").includes(".."))) return null;
  return segments;
}
