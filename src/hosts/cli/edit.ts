/** `taskfold edit` and `rm`: fields of a plan, task or step, by options or in an editor. */
import { messageOf } from "../../message.ts";
import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { nodeDisk } from "../../disk.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import { counted } from "../../state/counted.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { JsonObject } from "../../index.ts";
import type { CliResult, Human } from "./cli_result.ts";
import type { Page } from "./page.ts";
import { pageOf, stepMeant } from "./page.ts";
import type { Session } from "./session.ts";
import { given, write } from "./write.ts";

export interface EditOptions {
  title?: string;
  description?: string;
  context?: string;
  priority?: string;
  tag?: string[];
  dependsOn?: string[];
  contract?: string;
  completeWhenDone?: string;
  criteria?: string[];
  test?: string[];
  proof?: JsonObject;
  confirm?: string[];
  files?: string[];
}

/** Fields of the whole; those of a step are its title, criteria and tests. */
export async function edit(
  session: Session,
  id: string,
  name: string | undefined,
  options: EditOptions,
): Promise<CliResult> {
  const page = await pageOf(session, id);
  const { criteria, test, proof, confirm, files, dependsOn, tag, completeWhenDone, title, ...whole } = options;
  if (name !== undefined) {
    const strays = Object.keys({ ...whole, ...given({ dependsOn, tag, completeWhenDone }) });
    if (strays.length > 0)
      throw misplaced(strays, "the plan or task itself", `${session.program} edit ${page.target.id}`);
    const { step_id } = stepMeant(page, name);
    const paths = files?.filter((path) => path !== "");
    const fields = given({ title, success_criteria: criteria, tests: test, proof, confirm, files: paths });
    if (Object.keys(fields).length === 0)
      throw nothing(`${session.program} edit ${page.target.id} ${shellQuote(name)}`);
    return write(session, "tasks_define", { task: page.target.id, step_id, ...fields });
  }
  const ofPlan = page.target.kind === "plan";
  const [stray] = Object.keys(given({ criteria, test, confirm, files, proof: ofPlan ? undefined : proof }));
  if (stray !== undefined) throw misplaced([stray], "a step", `${session.program} edit ${page.target.id} s:0`);
  const depends_on = dependsOn?.filter((one) => one !== "").map((one) => session.meant(one));
  const fields = given({ title, tags: tag, depends_on, complete_when_done: flagOf(completeWhenDone), ...whole, proof });
  if (Object.keys(fields).length > 0) return write(session, "tasks_edit", { target: page.target.id, ...fields });
  return inEditor(session, page);
}

/** As its plan says, where the word is plan. */
function flagOf(word: string | undefined): boolean | null | undefined {
  return word === undefined ? undefined : word === "plan" ? null : word === "yes";
}

function misplaced(options: readonly string[], of: string, command: string): TaskfoldError {
  const option = `--${(options[0] ?? "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return new TaskfoldError("INVALID_INPUT", `Expected no ${option} here: it belongs to ${of}.`, {
    recovery: `${command} ${option} TEXT`,
  });
}

function nothing(command: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    "Expected --title, --criteria, --test, --proof, --confirm or --files of the step, found none of them.",
    {
      recovery: `${command} --title "A new title"; the editor is for plans and tasks.`,
    },
  );
}

const MAX_BYTES = 1024 * 1024;

/** The file is compared with what it was: only fields that differ are written, and only if nothing came between. */
async function inEditor(session: Session, page: Page): Promise<CliResult> {
  const { env } = session.io;
  const editor = env["VISUAL"] || env["EDITOR"];
  if (!editor) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected an option, or an editor in VISUAL or EDITOR; found neither.",
      remedy`${TASKFOLD} edit ${page.target.id} --title "A new title"`,
    );
  }
  const before = textOf(page);
  const path = join(tmpdir(), `taskfold-${randomBytes(8).toString("hex")}.txt`);
  const fd = nodeDisk.open(path, "wx");
  nodeDisk.write(fd, Buffer.from(before));
  nodeDisk.close(fd);
  const left = edited(editor, path, { ...env });
  const after = left && savedText(left, path);
  if (after === before || after?.trim() === "") {
    nodeDisk.unlink(path);
    return unchanged(page.target.id);
  }
  try {
    if (after === undefined) throw noFile(editor);
    const outcome = await written(session, page, before, after);
    if (outcome.exit === EXIT.ok) nodeDisk.unlink(path);
    return outcome.exit === EXIT.ok ? outcome : withFile(outcome, path);
  } catch (e) {
    throw after === undefined ? e : keptIn(path, e);
  }
}

/** The bytes that the person left; undefined where the editor took the file away. */
function edited(editor: string, path: string, env: NodeJS.ProcessEnv): Buffer | undefined {
  const { status } = startEditor(editor, path, env);
  const left = nodeDisk.stat(path)?.kind === "file" ? nodeDisk.readFile(path, MAX_BYTES) : undefined;
  if (status === 0) return left;
  if (left !== undefined) nodeDisk.unlink(path);
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected the editor ${JSON.stringify(editor)} to end with 0, found ${String(status)}; nothing changed.`,
    remedy`Name another one in VISUAL or EDITOR, or give options: ${TASKFOLD} help edit lists them.`,
  );
}

/** The text as it was meant: an editor may begin it with a byte order mark and end its lines by CR and LF. */
function savedText(bytes: Buffer, path: string): string {
  if (isUtf8(bytes))
    return bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replaceAll("\r\n", "\n");
  const error = new TaskfoldError("INVALID_INPUT", "Expected a text in UTF-8, found other bytes; nothing changed.", {
    recovery: "Let the editor save it as UTF-8.",
  });
  throw keptIn(path, error);
}

function noFile(editor: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected the editor ${JSON.stringify(editor)} to leave its file, found none; nothing changed.`,
    remedy`Name another one in VISUAL or EDITOR, or give options: ${TASKFOLD} help edit lists them.`,
  );
}

async function written(session: Session, page: Page, before: string, after: string): Promise<CliResult> {
  const [was, now] = [fieldsOf(before), fieldsOf(after)];
  const changed = Object.fromEntries(
    Object.entries(now).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(was[field])),
  );
  const { id: target, revision: expected_revision } = page.target;
  if (Object.keys(changed).length === 0) return unchanged(target);
  return write(session, "tasks_edit", { target, expected_revision, ...changed });
}

/** A text that was typed outlives the refusal of it. */
function withFile(outcome: CliResult, path: string): CliResult {
  const human = (): Human => {
    const { out, err } = outcome.human();
    return { out, err: `${err}  Your text is kept in ${path}\n` };
  };
  return { ...outcome, human };
}

function keptIn(path: string, e: unknown): unknown {
  if (!isTaskfoldError(e)) return e;
  const { suggestions, details } = e;
  return new TaskfoldError(e.code, messageOf(e), {
    ...(e.recovery === undefined ? remedy`Your text is kept in ${path}` : remedy`${e} Your text is kept in ${path}`),
    ...(suggestions === undefined ? {} : { suggestions }),
    ...(details === undefined ? {} : { details }),
    cause: e,
  });
}

/** As git does: the variable may hold a program with options. */
function startEditor(editor: string, path: string, env: NodeJS.ProcessEnv) {
  const options = { stdio: "inherit", env } as const;
  if (process.platform === "win32") return spawnSync(`${editor} "${path}"`, { ...options, shell: true });
  return spawnSync("sh", ["-c", `${editor} "$@"`, editor, path], options);
}

function unchanged(id: string): CliResult {
  return {
    exit: EXIT.ok,
    json: okReply("edit", { id, changed: false }, [], []),
    human: () => ({ out: `${id}: nothing changed.\n`, err: "" }),
  };
}

function textOf({ target, detail }: Page): string {
  return [
    `# ${target.id}. Lines that begin with # are left out. The description stands below the empty line.`,
    `title: ${target.title}`,
    `priority: ${detail.priority}`,
    `tags: ${detail.tags.map(listed).join(", ")}`,
    `depends_on: ${detail.depends_on.join(", ")}`,
    "",
    detail.description,
    "",
  ].join("\n");
}

/** An entry with a comma, or with quotes around it, stands in quotes. */
function listed(entry: string): string {
  return /^"|,/.test(entry) ? JSON.stringify(entry) : entry;
}

function entriesOf(text: string): string[] {
  const entries = text.match(/\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+/g) ?? [];
  return entries.map((one) => one.trim()).flatMap((one) => (one === "" ? [] : [unquoted(one)]));
}

function unquoted(entry: string): string {
  try {
    return entry.startsWith('"') ? String(JSON.parse(entry)) : entry;
  } catch {
    // A person wrote a quote that begins no text in quotes.
    return entry;
  }
}

const LISTS = new Set(["tags", "depends_on"]);
const FIELDS = new Set(["title", "priority", ...LISTS]);

function fieldsOf(text: string): JsonObject {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  while (lines[0]?.startsWith("#")) lines.shift();
  const end = lines.findIndex((line) => line.trim() === "");
  const head = (end === -1 ? lines : lines.slice(0, end)).filter((line) => !line.startsWith("#"));
  const description =
    end === -1
      ? ""
      : lines
          .slice(end + 1)
          .join("\n")
          .trim();
  const fields: JsonObject = { description };
  for (const line of head) {
    const [, name = "", value = ""] = /^([a-z_]+):\s*(.*)$/.exec(line) ?? [];
    if (!FIELDS.has(name)) {
      throw new TaskfoldError(
        "INVALID_INPUT",
        `Expected lines such as "title: ...", found ${JSON.stringify(line.slice(0, 80))}; nothing changed.`,
        {
          recovery: `The fields are ${[...FIELDS].join(", ")}; the description stands below an empty line.`,
        },
      );
    }
    fields[name] = LISTS.has(name) ? entriesOf(value) : value.trim();
  }
  return fields;
}

export async function remove(
  session: Session,
  id: string,
  name: string | undefined,
  { yes }: { yes?: boolean },
): Promise<CliResult> {
  const page = await pageOf(session, id);
  const { target } = page;
  const step = name === undefined ? undefined : stepMeant(page, name);
  const what = step
    ? `step ${step.path} "${step.title}" of ${target.id}`
    : `${target.kind} ${target.id} "${target.title}"${withTasks(page)}`;
  if (!yes) await agreed(session, what);
  return write(session, "tasks_delete", given({ target: target.id, step_id: step?.step_id }));
}

function withTasks({ tasks = [] }: Page): string {
  return tasks.length === 0 ? "" : ` with ${counted(tasks.length, "task")} (${tasks.map(({ id }) => id).join(", ")})`;
}

async function agreed({ io, json, columns }: Session, what: string): Promise<void> {
  const [{ safeLine }, { sentences }] = await Promise.all([import("./text/safe_text.ts"), import("./text/layout.ts")]);
  const answer = json ? undefined : await io.ask?.(`${sentences(`Delete ${safeLine(what)}? [y/N]`, columns)} `);
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return;
  throw new TaskfoldError("INVALID_INPUT", `Expected a yes to deleting ${what}, found none; nothing changed.`, {
    recovery: "Repeat it with --yes.",
  });
}
