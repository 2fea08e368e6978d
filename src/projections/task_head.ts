/**
 * The beginning of task.yaml: what a list says of an entity, on lines of fixed keys in fixed order, then the length of the
 * log that it was folded from and a checksum of all that. So a list need not replay a log that is as it was then, nor parse
 * YAML: each value, as it is written here, is JSON as well (PROJ-18).
 */
import { hash } from "node:crypto";
import { KINDS, STATUSES } from "../state/entity.ts";
import type { Kind, Status } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { yaml } from "./yaml.ts";

/**
 * Version of everything that is rendered. Goes up with any change of a projection's bytes: an engine with a smaller
 * number leaves the files alone, or two releases would rewrite each other's in every review.
 */
export const RENDERER = 2;

/** Who reads so many bytes has nearly every head whole; a longer one is not worth reading twice. */
export const HEAD_BYTES = 4096;

export interface TaskHead {
  listed: Listed;
  /** Length of a log that holds each event once, as a writer writes it, and nothing else. */
  logBytes: number;
}

/** The head's lines, the checksum's included. */
export function taskHead({ listed, logBytes }: TaskHead): string {
  const { id, title, kind, status, revision, priority, tags, parent, depends_on, steps, updated_at, deleted, root } =
    listed;
  const head = yaml({
    id,
    title,
    kind,
    status,
    revision,
    priority,
    tags,
    // As they were written (PROJ-15): what their roots are called now stands in other logs.
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
    logBytes,
  });
  return `${head}${SUM}"${checksum(head)}"\n`;
}

/** The head that a file begins with; undefined when it has none of this release's, or not one byte for byte as it was written. */
export function readTaskHead(file: Buffer): TaskHead | undefined {
  const end = file.indexOf(LAST_LINE) + 1;
  if (end === 0) return undefined;
  const sum = file.toString("latin1", end, end + SUM.length + SUM_LENGTH + 3);
  const head = file.subarray(0, end);
  if (sum !== `${SUM}"${checksum(head)}"\n`) return undefined;
  const values = valuesOf(head.toString("utf8"));
  return values && headOf(values as HeadValues);
}

type HeadValues = [
  id: string,
  title: string,
  kind: Kind,
  status: Status,
  revision: number,
  priority: string,
  tags: string[],
  parent: string | null,
  parentRoot: string | null,
  dependsOn: string[],
  dependsOnRoots: string[],
  stepCount: number,
  stepsDone: number,
  updatedAt: string,
  deleted: boolean,
  root: string,
  renderer: number,
  logBytes: number,
];

/** Undefined where values contradict each other, as no writer writes them. */
function headOf(values: HeadValues): TaskHead | undefined {
  const [id, title, kind, status, revision, priority, tags, parent, parentRoot, dependsOn, roots, ...rest] = values;
  const [total, completed, updated_at, deleted, root, , logBytes] = rest;
  if (dependsOn.length !== roots.length || (parent === null) !== (parentRoot === null)) return undefined;
  const listed: Listed = {
    id,
    root,
    kind,
    title,
    status,
    revision,
    parent: parent === null ? null : { id: parent, root: parentRoot! },
    priority,
    tags,
    depends_on: dependsOn.map((ref, i) => ({ id: ref, root: roots[i]! })),
    steps: { total, completed },
    updated_at,
    deleted,
  };
  return { listed, logBytes };
}

/** Anybody can write a file that has its checksum: then it may be wrong, but nothing else than a head. */
type Fits = (value: unknown) => boolean;
const text: Fits = (value) => typeof value === "string";
const count: Fits = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const texts: Fits = (value) => Array.isArray(value) && value.every(text);
const textOrNull: Fits = (value) => value === null || text(value);

const FIELDS: readonly [key: string, fits: Fits][] = [
  ["id: ", text],
  ["title: ", text],
  ["kind: ", (value) => KINDS.includes(value as Kind)],
  ["status: ", (value) => STATUSES.includes(value as Status)],
  ["revision: ", count],
  ["priority: ", text],
  ["tags: ", texts],
  ["parent: ", textOrNull],
  ["parentRoot: ", textOrNull],
  ["dependsOn: ", texts],
  ["dependsOnRoots: ", texts],
  ["stepCount: ", count],
  ["stepsDone: ", count],
  ["updatedAt: ", text],
  ["deleted: ", (value) => typeof value === "boolean"],
  ["root: ", text],
  ["renderer: ", (value) => value === RENDERER],
  ["logBytes: ", count],
];
const SUM = "headSum: ";
const LAST_LINE = Buffer.from(`\n${SUM}`);
const SUM_LENGTH = 8;

function checksum(head: string | Uint8Array): string {
  return hash("sha256", head, "base64url").slice(0, SUM_LENGTH);
}

/** In the order of the fields; undefined when these are not the lines of a head. */
function valuesOf(head: string): unknown[] | undefined {
  const values: unknown[] = [];
  let at = 0;
  for (const [key, fits] of FIELDS) {
    if (!head.startsWith(key, at)) return undefined;
    const end = head.indexOf("\n", at);
    const value = valueOf(head.slice(at + key.length, end));
    if (!fits(value)) return undefined;
    values.push(value);
    at = end + 1;
  }
  return at === head.length ? values : undefined;
}

/** Most strings are their own text, and a parser would cost more than finding that out. Undefined when it is no JSON. */
function valueOf(written: string): unknown {
  if (written.startsWith('"') && written.endsWith('"') && !written.includes("\\")) return written.slice(1, -1);
  try {
    return JSON.parse(written);
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}
