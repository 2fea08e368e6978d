/** Finding entities: the one a call means, the ones it refers to, all of them. Step 3 for reads; takes no lock. */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { namesOf } from "../../log/repair.ts";
import type { Entity, Kind, Ref, Subject } from "../../state/entity.ts";
import type { Listed } from "../../state/listed.ts";
import { asShown } from "../../state/plan_status.ts";
import type { Focused } from "./focus.ts";
import { readFocus, readOwnFocus } from "./focus.ts";
import { foreignSubject } from "./foreign_folder.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { CheckedCall, Focus, WorkspaceLookup } from "../entity/job.ts";
import type { Listing } from "../listing/listing.ts";
import { WorkspaceIndex } from "../listing/workspace_index.ts";
import type { IndexOptions } from "../listing/workspace_index.ts";
import { readWarnings } from "../entity/read_warnings.ts";
import type { Store } from "../entity/store.ts";
import { isFolderName } from "../entity/folder_name.ts";
import { firstEventIn } from "../entity/two_folders.ts";
import type { TargetInput, Wanted } from "./target.ts";
import { findArchived, findEntity, targetRequired, unknownId, wantedTarget } from "./target.ts";
import type { EngineContext } from "../core/context.ts";
import { archivedWarnings, refuseDeleted } from "../entity/writable.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface Found {
  loaded: LoadedEntity;
  subject: Subject;
  warnings: Warning[];
  /** Another program made the folder and it has no log of ours. */
  foreign: boolean;
}

export class Entities {
  readonly index: WorkspaceIndex;
  readonly listing: Listing;
  readonly #context: EngineContext;
  readonly #store: Store;
  readonly #stepDefaults: WorkspaceLookup["stepDefaults"];

  /** The options are for tests. */
  /** `stepDefaults`: what the workspace asks of new steps. */
  constructor(
    context: EngineContext,
    store: Store,
    options: IndexOptions & { stepDefaults?: WorkspaceLookup["stepDefaults"] } = {},
  ) {
    this.#context = context;
    this.#stepDefaults = options.stepDefaults ?? (() => ({ modes: {} }));
    this.#store = store;
    this.index = new WorkspaceIndex(context, { store, states: this }, options);
    this.listing = this.index.rows;
  }

  /** Returns the entity that the input names, else the one that is focused: the call then keeps that focus for its reply. */
  wanted(call: CheckedCall, input: Record<string, unknown> = call.input): Wanted {
    const wanted = wantedTarget(input as TargetInput);
    if (wanted) return wanted;
    const { workspace, caller } = call;
    const focus = this.focus(workspace, caller.by);
    if (focus === null) throw targetRequired(workspace, this.#store.ids());
    call.focus = focus;
    return { id: focus.target, from: focus.from };
  }

  /** The focus of this caller, else the one that was set last in the workspace. */
  focus(workspace: string, by: string): Focus | null {
    return readFocus(this.#context, workspace, by, this.#presentId);
  }

  ownFocus(workspace: string, by: string): string | null {
    return readOwnFocus(this.#context, workspace, by, this.#presentId);
  }

  /** The id that the entity of a focus has now: its folder may have got another name since (TOOL-3). */
  readonly #presentId = ({ target: id, root }: Focused): string => {
    const { disk, layout } = this.#context;
    // One short read tells in nearly every case, where the log itself may be long.
    if (root === undefined || firstEventIn(disk, layout.folder(id))?.hash === root) return id;
    return this.idOf({ id, root });
  };

  /** The entity a call means, caught up, with what its readers should know. */
  find(workspace: string, wanted: Wanted): Found {
    const found = this.#readable(workspace, wanted.id);
    const { entity } = found.subject;
    refuseDeleted(entity, found.loaded.id);
    checkKind(wanted, entity, found.loaded.id);
    return entity.archived
      ? { ...found, warnings: [...found.warnings, ...archivedWarnings(entity, found.loaded.id)] }
      : found;
  }

  /** A live one, else one in the archive. */
  #readable(workspace: string, id: string): Found {
    try {
      return this.look(findEntity(this.#store, workspace, id), workspace);
    } catch (e) {
      // Also where another process put away what this one still knows as live.
      const archived = isTaskfoldError(e) && e.code === "ARCHIVED" ? findArchived(this.#store, id) : undefined;
      if (!archived) throw e;
      return this.look(archived, workspace);
    }
  }

  /**
   * The loaded entity that a write goes to. The state of an earlier read is good enough here: the writer catches up under its
   * lock and refuses what has changed.
   */
  forWriting(workspace: string, wanted: Wanted): LoadedEntity {
    const loaded = findEntity(this.#store, workspace, wanted.id);
    const entity = loaded.entity ?? this.#own(loaded, workspace);
    checkKind(wanted, entity, loaded.id);
    return loaded;
  }

  /** The entity of that id in the archive, where none is live and that one knows the key. */
  deletedWith(key: string, id: string): LoadedEntity | undefined {
    if (!isFolderName(id) || this.#store.has(id)) return undefined;
    return this.#knows(this.#store.findArchived(id), key);
  }

  /** One log that cannot be read answers for itself alone. */
  #knows(loaded: LoadedEntity | undefined, key: string): LoadedEntity | undefined {
    try {
      return loaded?.catchUp() && loaded.keys.has(key) ? loaded : undefined;
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
      return undefined;
    }
  }

  /**
   * A loaded entity's present state, from its log or, where another program made the folder, from its task.yaml; with what every read of
   * it says.
   */
  look(loaded: LoadedEntity, workspace: string): Found {
    const found = this.#stateOf(loaded, workspace);
    return found.foreign ? found : { ...found, warnings: readWarnings(this.#context.disk, loaded) };
  }

  #stateOf(loaded: LoadedEntity, workspace: string): Found {
    if (loaded.catchUp() && loaded.entity) {
      return { loaded, subject: loaded.subject(workspace), warnings: [], foreign: false };
    }
    const foreign = loaded.report.roots.length === 0 ? foreignSubject(this.#context, loaded, workspace) : undefined;
    if (!foreign) {
      this.#refuseGone(loaded, workspace);
      return { loaded, subject: loaded.subject(workspace), warnings: [], foreign: false };
    }
    const message = `${loaded.id} was written by another program and has no log of ours yet; this is what its task.yaml says.`;
    return {
      loaded,
      subject: foreign,
      warnings: [{ code: "NO_OWN_LOG", message, ...remedy`${TASKFOLD} adopt ${loaded.id}` }],
      foreign: true,
    };
  }

  /**
   * The present id of the entity of a reference (VIEW-14). Rules follow its root. The id is that of the time of
   * writing, and `resolve` may have given the entity another folder since; its name is known from both.
   */
  readonly idOf = (ref: Ref): string => this.#homeOf(ref)?.id ?? ref.id;

  /** The entity of a reference, live or archived; undefined where nothing here has its root. */
  readonly subjectOf = (ref: Ref, workspace: string): Subject | undefined => this.#homeOf(ref)?.subject(workspace);

  /** Whether git has the entity of a reference, and a sparse checkout leaves it out. */
  readonly isLeftOut = (ref: Ref): boolean => namesOf(ref).some((id) => this.#store.isLeftOut(id));

  #homeOf(ref: Ref): LoadedEntity | undefined {
    for (const id of namesOf(ref)) {
      const live = this.#store.find(id);
      if (this.#rootOf(live) === ref.root) return live;
      const archived = this.#store.findArchived(id);
      if (this.#rootOf(archived) === ref.root) return archived;
    }
    return undefined;
  }

  around(workspace: string): WorkspaceLookup {
    const rows = (): readonly Listed[] => this.listing.rows(workspace).rows;
    const shown = (subject: Subject | undefined): Subject | undefined => subject && asShown(subject, rows);
    return {
      focus: (job) => this.focus(workspace, job.caller.by)?.target ?? null,
      idOf: this.idOf,
      find: (ref) => shown(this.subjectOf(ref, workspace)),
      rows,
      tasksOfPlan: (root) => this.listing.tasksOfPlan(root, workspace),
      ref: (text) => this.#ref(workspace, text),
      stepDefaults: this.#stepDefaults,
    };
  }

  /** Refuses a change to an entity that was known, and whose log is no more. */
  gone(loaded: LoadedEntity, workspace: string): never {
    this.#refuseGone(loaded, workspace);
    throw new TaskfoldError("LOG_UNREADABLE", `Expected events.jsonl in the folder of ${loaded.id}, found none.`, {
      recovery: "Put the log back from git; nothing was changed.",
    });
  }

  /** Known from before git took it away, with its folder or the log alone. */
  #refuseGone({ id }: LoadedEntity, workspace: string): void {
    if (!this.#store.has(id)) unknownId(this.#store, workspace, id);
    const { message, recovery, details } = this.#store.wentAway.refusalOf(id);
    if (recovery === undefined) return;
    throw new TaskfoldError("LOG_UNREADABLE", `Expected events.jsonl in the folder of ${id}, found none.${message}`, {
      recovery,
      details: { id, ...details },
    });
  }

  #rootOf(loaded: LoadedEntity | undefined): string | undefined {
    try {
      return loaded?.catchUp() ? loaded.entity?.root : undefined;
    } catch (e) {
      // A read of that entity itself tells why it cannot be read.
      if (!isTaskfoldError(e)) throw e;
      return undefined;
    }
  }

  #own(loaded: LoadedEntity, workspace: string): Entity {
    const { subject, foreign } = this.#stateOf(loaded, workspace);
    if (foreign) throw foreignFolder(loaded.id);
    return subject.entity;
  }

  #ref(workspace: string, text: string): Ref & { kind: Kind } {
    const { loaded, subject, foreign } = this.find(workspace, { id: text, from: "input" });
    if (foreign) throw foreignFolder(loaded.id);
    return { id: loaded.id, root: subject.entity.root, kind: subject.entity.kind };
  }
}

/** Refuses an entity of another kind than the caller said. */
export function checkKind(wanted: Wanted, entity: Entity, id: string): void {
  if (wanted.kind === undefined || wanted.kind === entity.kind) return;
  throw new TaskfoldError("TARGET_CONTRADICTION", `Expected ${id} to be a ${wanted.kind}, it is a ${entity.kind}.`, {
    recovery: `Name it as target, or as ${entity.kind}.`,
    details: { id, kind: entity.kind },
  });
}

export function foreignFolder(id: string): TaskfoldError {
  return new TaskfoldError(
    "LOG_FOREIGN",
    `Expected a folder with a log of ours; ${id} was written by another program and has not been adopted.`,
    remedy`Read it is, or give it a log of ours: ${TASKFOLD} adopt ${id}`,
  );
}
