/** An object that git names and does not have here. No call of ours fetches it (HISTORY-20), so a person has to. */
import { TaskfoldError } from "../../errors.ts";
import type { Repository } from "./repository.ts";

/** Shows every version of every file below `.coco`, for which git fetches what is missing. */
const FETCH = "git log --all --reflog -p -m -- .coco >/dev/null";

/** The way to get the objects that this clone lacks. */
export function howToGet({ says }: Repository): string {
  const promised = says(["config", "--get-regexp", String.raw`^(remote\..*\.promisor|extensions\.partialclone)$`]);
  if (promised === undefined) return "git fsck names what the repository lacks; fetch it from another clone.";
  return `This is a partial clone, and git fetches what it shows. In the folder of the workspace: ${FETCH}`;
}

/** OBJECT_MISSING. `what`: such as "the object 1234" or "every side of a log". */
export function objectMissing(repository: Repository, what: string): TaskfoldError {
  return new TaskfoldError("OBJECT_MISSING", `Expected ${what} in this clone, but it is not there.`, {
    recovery: howToGet(repository),
  });
}
