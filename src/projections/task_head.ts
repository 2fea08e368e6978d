/**
 * The beginning of task.yaml: what a list says of an entity, on lines of fixed keys in fixed order. Its last line names the log
 * that it was folded from, and holds a checksum of all that (PROJ-18). A list then needs no replay and no YAML parser: each value is
 * JSON as well. One line, so that a note changes as few lines as it can (PROJ-60).
 */
import { KINDS, STATUSES } from "../state/entity.ts";
import type { Kind, Status } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { checksum } from "./checksum.ts";
import { quoted, yaml } from "./yaml.ts";

/**
 * Version of everything that is rendered. Goes up with any change of a projection's bytes. An engine with a smaller
 * number leaves the files alone, or two releases would rewrite each other's in every review.
 */
export const RENDERER = 10;

/** A read of so many bytes has nearly every head whole; a longer one is not worth a second read. */
export const HEAD_BYTES = 4096;

export interface TaskHead {
  listed: Listed;
  /** Digest of the log's heads. */
  head: string;
  /** Length of a log that holds each event once, as a writer writes it, and nothing else. */
  logBytes: number;
}

/** The head's lines, with the checksum at the end of the last. */
export function taskHead({ listed, head, logBytes }: TaskHead): string {
  const { id, title, kind, status, revision, priority, tags, parent, depends_on, steps, updated_at, deleted, root } =
    listed;
  const lines = yaml({
    id,
    title,
    kind,
    status,
    revision,
    priority,
    tags,
    // As they were written (PROJ-18): what their roots are called now stands in other logs.
    parent: parent?.id ?? null,
    parentRoot: parent?.root ?? null,
    dependsOn: depends_on.map((ref) => ref.id),
    dependsOnRoots: depends_on.map((ref) => ref.root),
    stepCount: steps.total,
    stepsDone: steps.completed,
    updatedAt: updated_at,
    deleted,
    root,
    renderer: RENDERER,
  });
  const summed = `${lines}head: [${quoted(head)}, ${logBytes}, `;
  return `${summed}"${checksum(summed)}"]\n`;
}

/** The head that a file begins with; undefined when it has none of this release's, or not one as it was written. */
export function readTaskHead(file: Buffer): TaskHead | undefined {
  const found = HEAD.exec(file.toString("utf8"));
  if (!found || checksum(found[1]!) !== found.at(-1)) return undefined;
  try {
    return headOf(found, found[1]!.includes("\\") ? JSON.parse : unquoted);
  } catch (e) {
    // Any program can write a head whose checksum fits.
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}

/** Undefined where values contradict each other, as no writer writes them. */
function headOf(found: RegExpExecArray, text: (written: string) => string): TaskHead | undefined {
  const [, , id, title, kind, status, revision, priority, tags, parent, parentRoot, dependsOn, roots, ...rest] =
    found as unknown as string[];
  const [total, completed, updated, deleted, root, head, logBytes] = rest as string[] as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const ids = texts(dependsOn!);
  const byRoot = texts(roots!);
  if (ids.length !== byRoot.length || (parent === "null") !== (parentRoot === "null")) return undefined;
  const listed: Listed = {
    id: text(id!),
    root: text(root),
    kind: text(kind!) as Kind,
    title: text(title!),
    status: text(status!) as Status,
    revision: Number(revision),
    parent: parent === "null" ? null : { id: text(parent!), root: text(parentRoot!) },
    priority: text(priority!),
    tags: texts(tags!),
    depends_on: ids.map((ref, i) => ({ id: ref, root: byRoot[i]! })),
    steps: { total: Number(total), completed: Number(completed) },
    updated_at: text(updated),
    deleted: deleted === "true",
  };
  return { listed, head: text(head), logBytes: Number(logBytes) };
}

/** A string without escapes is its own text, and a parser would cost more than all else here. */
function unquoted(written: string): string {
  return written.slice(1, -1);
}

function texts(written: string): string[] {
  return written === "[]" ? [] : (JSON.parse(written) as string[]);
}

const TEXT = String.raw`("(?:[^"\\\n]|\\.)*")`;
const TEXT_OR_NULL = String.raw`(null|"(?:[^"\\\n]|\\.)*")`;
const TEXTS = String.raw`(\[\]|\["(?:[^"\\\n]|\\.)*"(?:, "(?:[^"\\\n]|\\.)*")*\])`;
const COUNT = String.raw`(\d{1,15})`;
const oneOf = (names: readonly string[]): string => `("(?:${names.join("|")})")`;

/** Its first group is what the checksum is of, its last the checksum. */
const HEAD = new RegExp(
  `^(${[
    `id: ${TEXT}`,
    `title: ${TEXT}`,
    `kind: ${oneOf(KINDS)}`,
    `status: ${oneOf(STATUSES)}`,
    `revision: ${COUNT}`,
    `priority: ${TEXT}`,
    `tags: ${TEXTS}`,
    `parent: ${TEXT_OR_NULL}`,
    `parentRoot: ${TEXT_OR_NULL}`,
    `dependsOn: ${TEXTS}`,
    `dependsOnRoots: ${TEXTS}`,
    `stepCount: ${COUNT}`,
    `stepsDone: ${COUNT}`,
    `updatedAt: ${TEXT}`,
    "deleted: (true|false)",
    `root: ${TEXT}`,
    `renderer: ${RENDERER}`,
    String.raw`head: \[("[A-Za-z0-9_-]{0,43}"), ${COUNT}, `,
  ].join("\n")})"([0-9a-f]{8})"]\n`,
);
