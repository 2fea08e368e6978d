/** The values that a decision may read (step 4). */
import { TaskfoldError } from "../../errors.ts";
import type { PastOf } from "../../events/past.ts";
import { inspectFile, inspectText } from "../../files/inspect.ts";
import { LIMITS } from "../../state/limits.ts";
import type { Entity, Subject } from "../../state/entity.ts";
import type { Anchor, AnchoredLines } from "../../rules/evidence_item.ts";
import { anchorName } from "../../rules/evidence_item.ts";
import type { FactsAsked } from "../../tools/change_tool.ts";
import type { DecideContext } from "../../tools/decide_context.ts";
import type { StalenessOf } from "../../state/staleness.ts";
import { TreeLook } from "../core/tree_look.ts";
import { lookAtFiles } from "../core/evidence_files.ts";
import { folderBelow } from "../core/folder_below.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Job, WorkspaceLookup } from "../entity/job.ts";
import { packetHolder } from "../entity/packet_holder.ts";
import { pastOf } from "../entity/past.ts";
import type { EngineContext } from "../core/context.ts";

/** A call that is decided, whether it waits for an answer or only asks what it would do. */
type Deciding = Pick<Job, "tool" | "input" | "caller">;

/** A class, with functions made when they are asked for: most decisions ask for one of these things or two. */
export class DecideCall implements DecideContext {
  readonly subject: Subject;
  readonly now: string;
  readonly by: string;
  readonly passedOver: DecideContext["passedOver"];
  readonly refs: DecideContext["refs"];
  readonly files: DecideContext["files"];
  readonly anchors: DecideContext["anchors"];
  readonly folders: DecideContext["folders"];
  readonly commits: DecideContext["commits"];
  readonly texts: DecideContext["texts"];
  readonly #context: EngineContext;
  readonly #around: WorkspaceLookup;
  readonly #loaded: LoadedEntity;
  #taken: Set<string> | undefined;

  constructor(
    context: EngineContext,
    around: WorkspaceLookup,
    loaded: LoadedEntity,
    job: Deciding,
    subject: Subject | undefined,
    now: string,
  ) {
    const { tool, input } = job;
    this.#context = context;
    this.#around = around;
    this.#loaded = loaded;
    this.subject = subject as Subject;
    this.now = now;
    this.by = job.caller.by;
    this.passedOver = job.caller.passedOver;
    this.refs = facts(tool.refs?.(input as never), around.ref);
    const { files, texts, anchors, folders, commits } =
      (subject && tool.facts?.(input as never, subject)) ?? NONE_ASKED;
    this.files = facts(files, (path) => inspectFile(context.disk, loaded.folder, path));
    this.texts = texts ? textsOf(context, loaded, texts) : NOTHING;
    this.anchors = anchors ? anchored(context, loaded, anchors) : NOTHING;
    this.folders = folders ? foldersOf(context, folders) : NOTHING;
    this.commits = commits ? commitsOf(context, commits) : NOTHING;
  }

  get inSeconds(): DecideContext["inSeconds"] {
    return (seconds) => new Date(Date.parse(this.now) + seconds * 1000).toISOString();
  }

  get newStepId(): () => string {
    return () => this.#freshId("STEP", this.subject?.entity.steps);
  }

  get newNodeId(): () => string {
    return () => this.#freshId("NODE", this.subject?.entity.nodes);
  }

  get newCardId(): () => string {
    return () => this.#freshId("CARD", this.subject?.entity.cards);
  }

  get packetConfigs(): DecideContext["packetConfigs"] {
    return this.#context.packetConfigs;
  }

  get past(): PastOf {
    return pastOf(this.#loaded, this.subject?.entity as Entity);
  }

  /** This process may end what it runs itself. */
  get dispatcher(): DecideContext["dispatcher"] {
    return () => {
      const holder = packetHolder(this.#context, this.#loaded.id);
      return holder?.pid === this.#context.runtime.pid ? undefined : holder;
    };
  }

  /** Git is asked only where a closing rests on a captured run. */
  get staleness(): StalenessOf {
    const tree = new TreeLook(this.#context);
    return (_id, seen, scope) => tree.since(this.#loaded.folder, seen, scope);
  }

  get idOf(): DecideContext["idOf"] {
    return this.#around.idOf;
  }

  get find(): DecideContext["find"] {
    return this.#around.find;
  }

  get tasksOfPlan(): () => Subject[] {
    return () => (this.subject ? this.#around.tasksOfPlan(this.subject.entity.root) : []);
  }

  get rows(): DecideContext["rows"] {
    return this.#around.rows;
  }

  /** Eight random digits: with a look at those that are there, enough for one entity, also when branches meet. */
  #freshId(prefix: "STEP" | "NODE" | "CARD", known: ReadonlyMap<string, unknown> | undefined): string {
    const taken = (this.#taken ??= new Set());
    for (;;) {
      const digits = this.#context.newId().slice(0, 8).toUpperCase();
      if (!/^[0-9A-F]{8}$/.test(digits))
        throw new TaskfoldError("INTERNAL", "Expected newId to give hexadecimal digits, found other characters.");
      const id = `${prefix}-${digits}`;
      if (taken.has(id) || known?.has(id)) continue;
      taken.add(id);
      return id;
    }
  }
}

const NONE_ASKED: FactsAsked = {};
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

function facts<T>(names: readonly string[] | undefined, look: (name: string) => T): ReadonlyMap<string, T> {
  return names === undefined ? NOTHING : new Map(names.map((name): [string, T] => [name, look(name)]));
}

function textsOf({ disk }: EngineContext, { folder }: LoadedEntity, paths: readonly string[]): Map<string, string> {
  const texts = paths.map((path) => [path, inspectText(disk, folder, path, LIMITS.judgedBytes)] as const);
  return new Map(texts.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function anchored(
  context: EngineContext,
  { folder }: LoadedEntity,
  anchors: readonly Anchor[],
): Map<string, AnchoredLines> {
  const { lines } = lookAtFiles(context, folder);
  return new Map(
    anchors.map((anchor) => {
      const { start, end } = anchor.lines ?? {};
      return [anchorName(anchor), lines(anchor.folder === "task" ? "task" : "root", anchor.path, start, end)];
    }),
  );
}

function foldersOf({ disks, layout }: EngineContext, folders: readonly string[]): Map<string, string> {
  const below = folders.map((cwd) => [cwd, folderBelow(disks, layout.root, cwd)] as const);
  return new Map(below.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function commitsOf({ git }: EngineContext, ids: readonly string[]): Map<string, boolean | null> {
  const port = ids.length === 0 ? undefined : git?.();
  return new Map(ids.map((id) => [id, port?.hasCommit(id) ?? null]));
}
