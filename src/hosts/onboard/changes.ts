/** The changes that `onboard` would make in each file, and those that it would take out. */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { RepositoryFiles } from "../../files/repository_files.ts";
import { agentsSection } from "./house_rules.ts";
import type { ClientName, JsonFile, Setting, TomlFile } from "./clients.ts";
import { CLIENT, CLIENTS } from "./clients.ts";
import { OF_MACHINE, OF_PACKAGE } from "./start_command.ts";
import type { Changed, Edited } from "./json_text.ts";
import { addJson, removeJson } from "./json_text.ts";
import { JsonTextError } from "./json_tree.ts";
import { isInFence } from "./fence.ts";
import { addSection, isSection, removeSection } from "./marked_section.ts";
import { definitionsIn, TomlTextError } from "./toml_text.ts";

const ORIGIN = "written by taskfold onboard, taken out by taskfold onboard --remove";
const MARKDOWN = { begin: `<!-- taskfold:begin (${ORIGIN}) -->`, end: "<!-- taskfold:end -->", isQuoted: isInFence };
const TOML = { begin: `# taskfold:begin (${ORIGIN})`, end: "# taskfold:end" };

/** The first is made where it is missing; the others are the ones that some clients read instead. */
const AGENTS = "AGENTS.md";
const SIBLINGS = ["CLAUDE.md", "GEMINI.md"];

export interface FileChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** Texts of the files as they would be, over what is on disk. */
export class Changes {
  readonly notes: string[] = [];
  readonly #files: RepositoryFiles;
  readonly #setting: Setting;
  /** Settings that entries may have been written for. The first is the wanted one. */
  readonly #settings: readonly Setting[];
  readonly #read = new Map<string, string | undefined>();
  readonly #texts = new Map<string, string | undefined>();

  constructor(files: RepositoryFiles, setting: Setting) {
    this.#files = files;
    this.#setting = setting;
    const commands = new Set([setting.command, OF_PACKAGE, OF_MACHINE]);
    this.#settings = [...commands].map((command) => ({ ...setting, command }));
  }

  get all(): FileChange[] {
    return [...this.#texts].flatMap(([path, after]) => {
      const before = this.#read.get(path);
      return before === after ? [] : [{ path, before, after }];
    });
  }

  /** `stopHook`: also the hook that may keep an agent from stopping. One that is there is written anew, because it starts the same command. */
  add(clients: readonly ClientName[], stopHook: boolean): void {
    for (const client of clients) {
      const { files, stop, title } = CLIENT[client];
      for (const file of files) this.#apply(file, client, "add");
      if (!stopHook && !(stop && this.#isIn(stop))) continue;
      if (stop) this.#apply(stop, client, "add");
      else this.notes.push(`No stop hook is written for ${title}.`);
    }
    for (const path of this.#instructions()) {
      if (path !== AGENTS && IMPORTS_AGENTS.test(this.#text(path) ?? ""))
        this.notes.push(`${path} takes in ${AGENTS}, so it needs no section of its own.`);
      else this.#set(path, addSection(this.#text(path), agentsSection(this.#setting), MARKDOWN));
    }
  }

  /**
   * The last addition goes first, so that each file is again as it was before. The sections go with the last client.
   */
  remove(clients: readonly ClientName[]): void {
    for (const client of clients) for (const file of allFiles(client).toReversed()) this.#apply(file, client, "remove");
    const others = CLIENTS.filter((name) => !clients.includes(name) && this.#isSetUp(name));
    if (others.length > 0) return;
    for (const path of this.#instructions()) {
      const text = this.#text(path);
      if (text !== undefined) this.#set(path, removeSection(text, MARKDOWN));
    }
  }

  /** Whether an entry of ours is in its files. */
  #isSetUp(client: ClientName): boolean {
    return allFiles(client).some((file) => this.#isIn(file));
  }

  #isIn(file: JsonFile | TomlFile): boolean {
    return file.paths.some((path) => {
      if (!this.#files.isThere(path) || this.#files.isLinked(path)) return false;
      try {
        const changed = this.#without(file, this.#text(path)!);
        return changed !== "same" && changed !== "other";
      } catch (e) {
        // A file of another client that cannot be read is not this call's business; its entry may be there.
        if (e instanceof JsonTextError || e instanceof TomlTextError || isTaskfoldError(e)) return true;
        throw e;
      }
    });
  }

  /** A file that is a link leads to another one, which is changed under its own name or not at all. */
  #instructions(): string[] {
    return [AGENTS, ...SIBLINGS.filter((path) => this.#files.isThere(path))].filter((path) => {
      const isLinked = this.#files.isLinked(path);
      if (isLinked) this.notes.push(`${path} is a link and was left alone.`);
      return !isLinked;
    });
  }

  #apply(file: JsonFile | TomlFile, client: ClientName, how: "add" | "remove"): void {
    const there = file.paths.filter((path) => this.#files.isThere(path));
    const paths = how === "add" ? [there[0] ?? file.paths[0]] : there;
    for (const path of paths) {
      const text = this.#text(path);
      try {
        const changed =
          how === "add" ? this.#with(file, text) : text === undefined ? "same" : this.#without(file, text);
        if (changed === "other")
          this.notes.push(
            `${path} has an entry taskfold that differs from what onboard writes for ${client}; it was left alone.`,
          );
        else this.#set(path, changed);
      } catch (e) {
        throw unreadable(path, text ?? "", e);
      }
    }
  }

  /** An entry that another command starts gives way to the new one. */
  #with(file: JsonFile | TomlFile, text: string | undefined): Changed {
    const changed = added(file, text, this.#setting);
    if (changed !== "other" || text === undefined) return changed;
    const without = this.#without(file, text);
    if (without === "same" || without === "other") return "other";
    const again = added(file, without.text, this.#setting);
    return again === "same" ? without : again;
  }

  /** Takes the entry out, whichever of the commands starts it. */
  #without(file: JsonFile | TomlFile, text: string): Changed {
    const tried = this.#settings.map((setting) => removed(file, text, setting));
    const isEdited = (changed: Changed): changed is { text: string | undefined } => typeof changed === "object";
    return tried.find(isEdited) ?? (tried.includes("other") ? "other" : "same");
  }

  #text(path: string): string | undefined {
    if (this.#texts.has(path)) return this.#texts.get(path);
    if (!this.#read.has(path)) this.#read.set(path, this.#files.read(path));
    return this.#read.get(path);
  }

  #set(path: string, changed: Edited): void {
    if (changed !== "same") this.#texts.set(path, changed.text);
  }
}

function added(file: JsonFile | TomlFile, text: string | undefined, setting: Setting): Changed {
  if (file.form === "json") return addJson(text, { ...file, value: file.value(setting) });
  const body = file.body(setting);
  return isOthers(text ?? "", file.table, body) ? "other" : addSection(text, body, TOML);
}

function removed(file: JsonFile | TomlFile, text: string, setting: Setting): Changed {
  if (file.form === "json") return removeJson(text, { ...file, value: file.value(setting) });
  return isOthers(text, file.table, file.body(setting)) ? "other" : removeSection(text, TOML);
}

function allFiles(client: ClientName): (JsonFile | TomlFile)[] {
  const { files, stop } = CLIENT[client];
  return [...files, ...(stop ? [stop] : [])];
}

/** A line of its own by which Claude Code and Gemini CLI take in another file. */
const IMPORTS_AGENTS = /^@(?:\.\/)?AGENTS\.md[ \t]*\r?$/m;

/** Whether the table, or a part of it, is not as `body` has it: defined elsewhere, changed, or with keys of a person. */
function isOthers(text: string, table: readonly string[], body: string): boolean {
  const isBelow = ({ names }: { names: string[] }): boolean => table.every((name, i) => names[i] === name);
  const isInTheWay = ({ names, isTable }: { names: string[]; isTable: boolean }): boolean =>
    !isTable && names.length < table.length && names.every((name, i) => name === table[i]);
  const all = definitionsIn(text);
  if (all.some(isInTheWay)) return true;
  const found = all.filter(isBelow).map(({ names }) => names.join("\0"));
  const own = definitionsIn(body).map(({ names }) => names.join("\0"));
  const isOurs = found.length === own.length && found.every((name, i) => name === own[i]);
  return found.length > 0 && !(isOurs && removeSection(text, TOML) !== "same" && isSection(text, body, TOML));
}

function unreadable(path: string, text: string, e: unknown): unknown {
  if (!(e instanceof JsonTextError || e instanceof TomlTextError)) return e;
  const line = e instanceof TomlTextError ? e.line : text.slice(0, e.at).split("\n").length;
  const form = e instanceof TomlTextError ? "TOML" : "JSON";
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${path} to be ${form}: line ${line}: ${e.message}; nothing was changed.`,
    {
      recovery: "Correct that line, or leave that client out with --client.",
      details: { path, line },
    },
  );
}
