/** Refuses a root whose path is not UTF-8: as text, it is the path of another folder, which the first write would make (DIR-1). */
import { join, parse, resolve, sep } from "node:path";
import type { OutsideReader } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";

/** Stands in a text for each byte that is no character. */
const REPLACEMENT = "\uFFFD";

/** INVALID_INPUT where a name on the way to the root may stand for bytes that no text has. */
export function checkRootPath(outside: OutsideReader, given: string): void {
  const root = resolve(given);
  if (!root.includes(REPLACEMENT)) return;
  let folder = parse(root).root;
  for (const name of root.slice(folder.length).split(sep)) {
    if (name.includes(REPLACEMENT) && !isItself(outside, folder, name)) throw refused(join(folder, name));
    folder = join(folder, name);
  }
}

/** Whether the only entry that reads like this name has it for its own, byte by byte. A new folder may have any name that is text. */
function isItself(outside: OutsideReader, folder: string, name: string): boolean {
  try {
    const alike = outside.namesIn(folder).filter((bytes) => bytes.toString("utf8") === name);
    return alike.every((bytes) => bytes.equals(Buffer.from(name)));
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

function refused(path: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a root whose path is UTF-8, found bytes in ${JSON.stringify(path)} that are no character. A second folder would be made beside it.`,
    { recovery: "Rename the folder, then call again in it." },
  );
}
