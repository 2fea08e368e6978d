/** Names of entries of the journal that are folders on their way to the quarantine (orphan_folder.ts): `aside.<id>.<8 hex digits>`. */
import { isFolderName } from "./folder_name.ts";

const ASIDE = /^aside\.(.+)\.([0-9a-f]{8})$/;

/** `digits`: random ones, at least eight. */
export function asideEntry(id: string, digits: string): string {
  return `aside.${id}.${digits.slice(0, 8)}`;
}

/** The id in a name, and the name that the folder gets in the quarantine; undefined for other names. */
export function readAsideEntry(name: string): { id: string; kept: string } | undefined {
  const [, id = "", digits] = ASIDE.exec(name) ?? [];
  return isFolderName(id) ? { id, kept: `${id}-${digits}` } : undefined;
}
