/** The merge driver of this clone: lines in `.git/config`, and a block in `info/attributes` that uninstall takes out again (GIT-1). */
import { dirname, join } from "node:path";
import { DRIVERS } from "../../files/attributes.ts";
import { DRIVER_ATTRIBUTES } from "./driver_attributes.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import { writeAtomic } from "../../files/atomic.ts";
import { nodeDisk } from "../../disk.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { ownSettings, removeSection, setSetting } from "./clone_settings.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";

const BEGIN = "# begin of taskfold: `taskfold git uninstall` takes these lines out";
/** The same, where the last line before had no end: it gets one, and loses it again. */
const BEGIN_OPEN = `${BEGIN} (and the line end above)`;
const END = "# end of taskfold";
/** Section of `.git/config` that says which program was installed. */
const OWN = "taskfold";
const MAX_ATTRIBUTES = 1024 * 1024;
/** All work trees of a clone share it. */
const ATTRIBUTES = "info/attributes";

/**
 * Returns the settings for each driver. In the command git puts paths in the place of %O and so on, and %% stands for
 * %.
 */
function settings(program: readonly string[]): [name: string, value: string][] {
  const command = (kind: string): string => {
    const words = program.map((word) => shellQuote(word).replaceAll("%", "%%"));
    return `${words.join(" ")} git merge-driver ${kind} %O %A %B %P`;
  };
  return [
    [`merge.${DRIVERS.log}.name`, "Taskfold: join both logs"],
    // Without the program git joins line by line, as it does in a clone with nothing installed.
    [
      `merge.${DRIVERS.log}.driver`,
      `${command("log")} || { [ $? -eq ${EXIT.conflict} ] && exit 1; git merge-file -q --union %A %O %B; }`,
    ],
    [`merge.${DRIVERS.log}.recursive`, "union"],
    [`merge.${DRIVERS.folded}.name`, "Taskfold: fold the file from the joined log"],
    [`merge.${DRIVERS.folded}.driver`, command("folded")],
    [`merge.${DRIVERS.folded}.recursive`, "binary"],
    [`merge.${DRIVERS.overview}.name`, "Taskfold: keep our overview; rebuild writes it anew"],
    [`merge.${DRIVERS.overview}.driver`, "true"],
    [`merge.${DRIVERS.overview}.recursive`, "binary"],
    ...program.map((path, n): [string, string] => [`${OWN}.${n === 0 ? "node" : "program"}`, path]),
  ];
}

/** `program`: node and the file of the command line, or the single executable. Repeating it changes nothing. */
export function installDriver(repository: Repository, program: readonly string[]): void {
  const text = attributes(repository);
  // The single executable has no file of the command line, which an earlier program may have had.
  if (program.length === 1) removeSection(repository, OWN);
  const known = ownSettings(repository);
  for (const [name, value] of settings(program)) setSetting(repository, name, value, known);
  const rest = withoutBlock(text);
  const isOpen = rest !== "" && !rest.endsWith("\n");
  const block = [isOpen ? `\n${BEGIN_OPEN}` : BEGIN, ...DRIVER_ATTRIBUTES, END, ""].join("\n");
  const wanted = rest + block;
  if (wanted !== text) writeAttributes(repository, wanted);
}

/** PATH_UNSAFE where the attributes cannot be read: a refusal before anything is changed. */
export function checkAttributes(repository: Repository): void {
  attributes(repository);
}

/** True when there was something to take away. */
export function uninstallDriver(repository: Repository): boolean {
  const text = attributes(repository);
  const rest = withoutBlock(text);
  if (rest === "" && text !== "") nodeDisk.unlink(join(repository.common, ATTRIBUTES));
  else if (rest !== text) writeAttributes(repository, rest);
  const sections = [...Object.values(DRIVERS).map((name) => `merge.${name}`), OWN];
  const removed = sections.map((name) => removeSection(repository, name));
  return rest !== text || removed.includes(true);
}

export interface DriverState {
  /** `partly`: a line of the configuration, or the block of attributes, is missing or was changed. */
  state: "installed" | "not installed" | "partly";
  /** The program that git starts: node and the file of the command line, or the single executable. */
  program: string[];
  /** Whether all of it is there. */
  isThere: boolean;
}

export function driverState(repository: Repository): DriverState {
  const known = ownSettings(repository);
  const program = ["node", "program"].flatMap((name) => known.get(`${OWN}.${name}`) ?? []);
  const found = settings(program).map(([name, value]) => known.get(name) === value);
  const text = attributes(repository);
  const hasBlock = text.includes([...DRIVER_ATTRIBUTES, END, ""].join("\n"));
  const none = program.length === 0 && !text.includes(BEGIN);
  return {
    state: none ? "not installed" : hasBlock && found.every(Boolean) ? "installed" : "partly",
    program,
    isThere: program.length > 0 && program.every((path) => nodeDisk.stat(path)?.kind === "file"),
  };
}

function attributes(repository: Repository): string {
  const bytes = readPlain(repository.common, ATTRIBUTES, MAX_ATTRIBUTES);
  // One character for each byte: names of files there may be in any encoding.
  if (typeof bytes !== "string") return bytes?.toString("latin1") ?? "";
  throw new TaskfoldError("PATH_UNSAFE", `Expected ${ATTRIBUTES} of the git folder to be a small file, but ${bytes}.`, {
    recovery: "Make it a plain file, then call again.",
  });
}

function writeAttributes(repository: Repository, text: string): void {
  const path = join(repository.common, ATTRIBUTES);
  if (!nodeDisk.lstat(dirname(path))) nodeDisk.mkdir(dirname(path));
  writeAtomic(nodeDisk, path, Buffer.from(text, "latin1"));
}

/** Returns the earlier text: the lines outside of our block, and a last line without its end as it was. */
function withoutBlock(text: string): string {
  const begin = text.indexOf(BEGIN);
  if (begin < 0) return text;
  const before = text.slice(0, text.startsWith(BEGIN_OPEN, begin) ? begin - 1 : begin);
  const end = text.indexOf(`${END}\n`, begin);
  return before + (end < 0 ? "" : text.slice(end + END.length + 1));
}
