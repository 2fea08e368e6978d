/** Which names a folder of a plan or task may have. */
import { idFault } from "../../state/ids.ts";
import { LIMITS } from "../../state/limits.ts";

/** A folder may be named by an id and the suffix that a split adds. */
export const FOLDER_CHARACTERS = LIMITS.idCharacters + 8;

/** Whether a folder of an entity may have this name; no path is made of another (ENG-12). */
export function isFolderName(name: string): boolean {
  return idFault(name, FOLDER_CHARACTERS) === null;
}
