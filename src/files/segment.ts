/** The last check before a name becomes part of a path: grammars of ids are checked where the id comes in. */
import { TaskfoldError } from "../errors.ts";

// oxlint-disable-next-line no-control-regex -- NUL ends a path
const UNSAFE = /[/\\\u0000]|^\.{0,2}$/;

/** The name as it is; ID_UNSAFE where it is none, or more than one segment of a path. */
export function segment(name: string): string {
  if (!UNSAFE.test(name)) return name;
  throw new TaskfoldError(
    "ID_UNSAFE",
    `Expected the name of one file or folder, found ${JSON.stringify(name.slice(0, 80))}.`,
    { recovery: "Give an id such as TASK-001." },
  );
}
