/**
 * The files of a folder whose entity has another one: they go there. A text that both have stays there once. A text that only this folder has is
 * put beside the other one under a name of its own. No person's text is lost, and no folder is left over.
 */
import { extname, join } from "node:path";
import { readRegular, syncFile, TEMP_PREFIX } from "../../files/atomic.ts";
import { ensureSyncedFolder, removeHollow, syncWay } from "../../files/folders.ts";
import { LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { projectionsOf, SKELETON } from "../../projections/index.ts";
import type { HumanFile } from "../../state/human_files.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import type { EngineContext } from "../core/context.ts";
import type { EntityLocation, EntityOnDisk } from "../entity/entity_on_disk.ts";
import { folderOf, relativeFolder, subjectOf } from "../entity/entity_on_disk.ts";
import { driftIn } from "../projection/drift.ts";
import { removeFolded } from "./moved_files.ts";

/** All lines of an entity, with those of the files that people wrote, and the folder where they belong. */
export interface WholeEntity extends EntityOnDisk {
  entity: NonNullable<EntityOnDisk["entity"]>;
  home: EntityLocation;
  /** Of all its folders. */
  names: readonly string[];
}

/** Everything but the log. Call while holding the locks of both folders, once the name of the one that stays is synced. */
export function joinFiles(
  context: EngineContext,
  place: EntityLocation,
  whole: WholeEntity,
  workspace: string,
): Finding[] {
  return new Joining(context, place, whole, workspace).all();
}

class Joining {
  readonly #context: EngineContext;
  readonly #place: EntityLocation;
  readonly #whole: WholeEntity;
  readonly #workspace: string;
  readonly #from: string;
  readonly #to: string;
  /** As they stand in this folder, whose name some of them tell. */
  readonly #folded: ReadonlyMap<string, string>;
  readonly #taskYaml: string | undefined;
  readonly #findings: Finding[] = [];

  constructor(context: EngineContext, place: EntityLocation, whole: WholeEntity, workspace: string) {
    this.#context = context;
    this.#place = place;
    this.#whole = whole;
    this.#workspace = workspace;
    this.#from = folderOf(context, place);
    this.#to = folderOf(context, whole.home);
    this.#folded = foldedAs(whole, { id: place.id, workspace });
    this.#taskYaml = readRegular(context.disk, join(this.#from, TASK_FILE))?.toString("utf8");
  }

  all(): Finding[] {
    this.#folder("");
    return this.#findings;
  }

  #folder(name: string): void {
    const { disk } = this.#context;
    for (const child of disk.readdir(join(this.#from, name)).toSorted()) {
      const path = name === "" ? child : `${name}/${child}`;
      const kinds = [this.#from, this.#to].map((folder) => disk.lstat(join(folder, path))?.kind);
      // A folder that became empty is gone.
      if (path === LOG_FILE || kinds[0] === undefined) continue;
      if (kinds[0] === "folder" && (kinds[1] === "folder" || this.#hasFolded(path))) this.#folder(path);
      else if (this.#folded.has(path) && kinds[0] === "file") this.#leave(path);
      else if (child.startsWith(TEMP_PREFIX) && kinds[0] === "file") disk.unlink(join(this.#from, path));
      else if (kinds[1] === undefined) this.#move(path);
      else if (kinds.every((kind) => kind === "file")) this.#choose(path);
      else this.#beside(path);
    }
    if (name !== "") removeHollow(disk, join(this.#from, name));
  }

  #hasFolded(folder: string): boolean {
    return [...this.#folded.keys()].some((path) => path.startsWith(`${folder}/`));
  }

  /** The other folder has the text from the log. An edit of it is kept as everywhere (PROJ-13). */
  #leave(path: string): void {
    const kept = removeFolded(this.#context, this.#place, { path, text: this.#folded.get(path)! }, (file) =>
      // A copy of a folder tells the name of another one.
      this.#whole.names.some((id) => {
        const named = { id, workspace: this.#workspace };
        if (file.found.equals(Buffer.from(foldedAs(this.#whole, named).get(path) ?? ""))) return true;
        const { changed, outdated } = driftIn(() => this.#whole.bytes, named, [file], this.#taskYaml);
        return changed.length + outdated.length === 0;
      }),
    );
    if (!kept) return;
    const message = "It was edited by hand; the old text is kept in .coco/registry/quarantine.";
    this.#findings.push(note(wholeFile("PROJECTION_DRIFT", `${relativeFolder(this.#place)}/${path}`, message)));
  }

  /** Both folders have the file. A text that the log has goes; one that it has not read takes the place of such a one, or stands beside another. */
  #choose(path: string): void {
    const { disk } = this.#context;
    const files = [this.#from, this.#to].map((folder) => join(folder, path));
    const [here, there] = files.map((file) => disk.readFile(file));
    if (here!.equals(there!)) return this.#drop(files[0]!, files[1]!);
    const [mine, theirs] = [this.#worth(path, here!), this.#worth(path, there!)];
    if (theirs <= KNOWN && mine > KNOWN) {
      disk.unlink(files[1]!);
      this.#move(path);
    } else if (mine === UNKNOWN) this.#beside(path);
    else disk.unlink(files[0]!);
  }

  /** How much would be lost with a text of people's; any other file tells nothing of itself. */
  #worth(path: string, bytes: Buffer): number {
    if (!isPeoples(path)) return UNKNOWN;
    const text = bytes.toString("utf8").replaceAll("\r\n", "\n");
    if (text === SKELETON[path]) return NOTHING;
    if (text === this.#whole.entity.people[path].content) return LATEST;
    const isKnown = this.#whole.events.some(
      ({ type, payload }) => type === "notes.changed" && payload["file"] === path && payload["content"] === text,
    );
    return isKnown ? KNOWN : UNKNOWN;
  }

  /** Two people who join the same folders give it the same name. */
  #beside(path: string): void {
    const { disk } = this.#context;
    const source = join(this.#from, path);
    const end = extname(path);
    const stem = path.slice(0, path.length - end.length);
    const { id } = this.#place;
    for (let n = 1; ; n++) {
      const name = `${stem}.${id}${n === 1 ? "" : `.${n}`}${end}`;
      const target = join(this.#to, name);
      const isThere = disk.lstat(target) !== undefined;
      if (isThere && readRegular(disk, source)?.equals(readRegular(disk, target) ?? Buffer.of(0)) !== true) continue;
      if (isThere) this.#drop(source, target);
      else this.#rename(source, target);
      const file = `${relativeFolder(this.#whole.home)}/${path}`;
      const message = `Two folders of this plan or task had it with different bytes; the other text is ${name.slice(name.lastIndexOf("/") + 1)} beside it.`;
      this.#findings.push(wholeFile("FILE_TWICE", file, message));
      return;
    }
  }

  /** The bytes at `target` are the same. A killed process or git may have put them there, so they are synced before these go (DUR-113). */
  #drop(source: string, target: string): void {
    const { disk } = this.#context;
    syncFile(disk, target);
    syncWay(disk, this.#to, join(target, ".."));
    disk.unlink(source);
  }

  #move(path: string): void {
    ensureSyncedFolder(this.#context.disk, this.#to, join(this.#to, path, ".."));
    this.#rename(join(this.#from, path), join(this.#to, path));
  }

  /** The name is on disk before the log of the folder that it left goes. */
  #rename(source: string, target: string): void {
    this.#context.disk.rename(source, target);
    this.#context.disk.syncFolder(join(target, ".."));
  }
}

// The worth of a text beside another one.
const NOTHING = 0;
const KNOWN = 1;
const UNKNOWN = 2;
const LATEST = 3;

function isPeoples(path: string): path is HumanFile {
  return Object.hasOwn(SKELETON, path);
}

/** In a folder of this name. */
function foldedAs({ entity, report }: WholeEntity, { id, workspace }: { id: string; workspace: string }) {
  return projectionsOf(subjectOf(id, workspace, entity, report));
}
