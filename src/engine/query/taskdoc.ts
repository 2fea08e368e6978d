/** Reading the Taskdoc of an entity: as it is injected, who changed it, and every text it ever had. Takes no lock, writes nothing. */
import type { Disk } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import { isKnownType } from "../../events/index.ts";
import { taskdocChanged } from "../../events/taskdoc.changed.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Subject } from "../../state/entity.ts";
import type { SectionChange, Taskdoc, TaskdocTarget } from "../../state/taskdoc.ts";
import { sectionKey, sectionPath, TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import type { GivenTarget } from "../../state/taskdoc_target.ts";
import { parseTaskdocTarget, targetFault } from "../../state/taskdoc_target.ts";
import type { Language } from "../../state/taskdoc_policy.ts";
import type { EffectiveTaskdoc, TaskdocViolation } from "../../views/taskdoc.ts";
import { effectiveTaskdoc } from "../../views/taskdoc.ts";
import type { SectionAudit } from "../../views/taskdoc_audit.ts";
import { taskdocAuditOf } from "../../views/taskdoc_audit.ts";
import type { ReadAccess } from "../entities/read_model.ts";
import type { Found } from "../entities/entities.ts";
import { stateAtInput } from "../entity/state_at.ts";
import { packageViolations } from "../projection/taskdoc_package.ts";
import { unmigratedTaskdoc } from "../projection/unmigrated_taskdoc.ts";

export interface EffectiveTaskdocOptions {
  /** Of the first heading and of the engine's own words. Default `en`. */
  language?: Language;
  /** Most bytes that `text` has: 102,400 when left out, never less than 4,096. */
  maxBytes?: number;
  /** As of this revision, or of the op with this event. Then the files on disk are not looked at. */
  at?: number | string;
}

interface Warned {
  /** The warnings that every read of this entity has beside its answer. */
  warnings: Warning[];
}

/** The effective Taskdoc, and which state of the entity it is of. */
export type EffectiveTaskdocOf = EffectiveTaskdoc & { id: string; revision: number; head: string } & Warned;

/** Every section with its first and last change. */
export interface TaskdocAudit extends Warned {
  id: string;
  revision: number;
  sections: SectionAudit[];
}

export interface TaskdocHistoryQuery extends GivenTarget {
  /** Most changes on the page, 50 when left out; those of one op stay together. */
  limit?: number;
  /** Only what came before this revision: the `next_before` of an earlier page. */
  before?: number;
}

/** One replacement with its whole text. */
export interface TaskdocText extends TaskdocTarget, SectionChange {
  /** From the entity's folder. */
  path: string;
  /** Empty where the section was cleared. */
  content: string;
  bytes: number;
  /** Digest of what stood there when it was written. */
  previous_sha256: string;
  message: string;
  /** Whether it is the text in effect. */
  current: boolean;
}

export interface TaskdocHistoryPage extends Warned {
  id: string;
  /** Newest first. */
  changes: TaskdocText[];
  /** null at the end. */
  next_before: number | null;
}

/** @internal */
export function renderEffectiveTaskdoc(
  engine: ReadAccess,
  id: string,
  { language = "en", maxBytes, at }: EffectiveTaskdocOptions,
): EffectiveTaskdocOf {
  if (language !== "en" && language !== "zh") throw expected("language", "en or zh", language);
  if (maxBytes !== undefined) checkCount("maxBytes", maxBytes);
  const { loaded, subject: present, foreign, warnings } = find(engine, id);
  const subject: Subject = at === undefined || foreign ? present : stateAtInput(loaded, present.workspace, at);
  const violations =
    at === undefined && !foreign ? violationsOf(engine.context.disk, loaded.folder, subject.entity.taskdoc) : [];
  const effective = effectiveTaskdoc(subject.entity, {
    language,
    violations,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  return { id: loaded.id, revision: subject.entity.revision, head: subject.head, ...effective, warnings };
}

/** Returns the faults of the Taskdoc of an entity on disk. `folder`: the entity's. @internal */
export function violationsOf(disk: Disk, folder: string, taskdoc: Taskdoc): TaskdocViolation[] {
  return [...unmigratedTaskdoc(disk, folder, taskdoc), ...packageViolations(disk, folder, taskdoc)];
}

/** @internal */
export function taskdocAudit(engine: ReadAccess, id: string): TaskdocAudit {
  const { loaded, subject, warnings } = find(engine, id);
  return { id: loaded.id, revision: subject.entity.revision, sections: taskdocAuditOf(subject.entity), warnings };
}

/** Reads the log whole: the state holds the present texts alone. @internal */
export function taskdocHistory(engine: ReadAccess, id: string, query: TaskdocHistoryQuery): TaskdocHistoryPage {
  const { limit = DEFAULT_LIMIT, before = Infinity, ...given } = query;
  checkCount("limit", limit);
  if (before !== Infinity) checkCount("before", before);
  const wanted =
    given.selector === undefined && given.category === undefined ? null : sectionKey(parseTaskdocTarget(given));
  const { loaded, foreign, warnings } = find(engine, id);
  const all = foreign ? [] : textsOf(loaded.log.withSource((source) => readOps(source, { isKnownType }).ops));
  const matching = all.filter((text) => text.revision < before && (wanted === null || sectionKey(text) === wanted));
  const last = matching[Math.min(limit, matching.length) - 1];
  const changes = matching.filter(({ revision }) => last !== undefined && revision >= last.revision);
  const next_before = changes.length < matching.length ? last!.revision : null;
  return { id: loaded.id, changes, next_before, warnings };
}

const DEFAULT_LIMIT = 50;

type Ops = ReturnType<typeof readOps>["ops"];

/** Newest first; of each section the newest is the one in effect, as in the fold. */
function textsOf(ops: Ops): TaskdocText[] {
  const current = new Set<string>();
  return ops.toReversed().flatMap(({ events, index }) =>
    events.toReversed().flatMap((event): TaskdocText[] => {
      if (event.type !== taskdocChanged.type || !taskdocChanged.fits(event.payload)) return [];
      const { category, selector, content, sha256, previous_sha256, message } = event.payload as unknown as Payload;
      const target = { category, selector };
      if (targetFault(target) !== null) return [];
      const key = sectionKey(target);
      const isCurrent = !current.has(key);
      current.add(key);
      return [
        {
          ...target,
          path: `${TASKDOC_PACKAGE}/${sectionPath(target)}`,
          event: event.hash,
          ts: event.ts,
          by: event.by,
          revision: index + 1,
          sha256,
          previous_sha256,
          bytes: Buffer.byteLength(content),
          content,
          message,
          current: isCurrent,
        },
      ];
    }),
  );
}

interface Payload extends TaskdocTarget {
  content: string;
  sha256: string;
  previous_sha256: string;
  message: string;
}

function find(engine: ReadAccess, id: string): Found {
  return engine.entities.find(engine.binding?.workspace ?? "", { id, from: "input" });
}

function checkCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw expected(name, "a whole number from 1", value);
}

function expected(name: string, what: string, found: unknown): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected ${name} to be ${what}, found ${JSON.stringify(found)}.`);
}
