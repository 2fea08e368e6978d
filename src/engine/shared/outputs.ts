/** Outputs of a packet under the names that its log gives them: an attempt of another machine or branch may come behind one of this. */
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { removeQuietly } from "../../files/atomic.ts";
import { listFolder } from "../../files/folders.ts";
import { inspectFile } from "../../files/inspect.ts";
import type { StageFile } from "../../state/packet.ts";
import { namesOfOpen, openAttempts, STAGE_FILES, stageFile } from "../../state/packet.ts";
import { writeContents } from "../commit/named_files.ts";
import { acquire } from "../core/lock.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineParts } from "../parts.ts";

/** Renames them, and removes those that are there twice. Call with a plan or task that is caught up. */
export async function renameOutputs({ context }: Pick<EngineParts, "context">, loaded: LoadedEntity): Promise<void> {
  const outputs = new Outputs(context.disk, loaded);
  if (outputs.moves().length + outputs.copies().length === 0) return;
  const lock = await acquire(context, loaded.id);
  try {
    if (!loaded.catchUp()) return;
    loaded.refuseLinks();
    // One that moves may leave its name to the next: if the second attempt is the first by now, the third is the second.
    for (let due = outputs.moves(); due.length > 0; due = outputs.moves()) writeContents(context, loaded, due);
    for (const path of outputs.copies()) removeQuietly(context.disk, join(loaded.folder, path));
  } finally {
    lock.release();
  }
}

/** An output or a log of a stage, as an event names it. */
interface Named {
  stage: string;
  kind: StageFile;
  path: string;
  sha256: string;
}

class Outputs {
  readonly #disk: Disk;
  readonly #loaded: LoadedEntity;

  constructor(disk: Disk, loaded: LoadedEntity) {
    this.#disk = disk;
    this.#loaded = loaded;
  }

  /** Those that lie under a name of another attempt, where nothing has their own name. */
  moves(): { path: string; from: string }[] {
    const all = this.#named();
    const bytesAt = new Map(all.map(({ path, sha256 }) => [path, sha256]));
    const taken = new Set<string>();
    let names: string[] | undefined;
    return all.flatMap((one) => {
      // Another program may have named a path that leads out of the folder.
      if (namesOf(one, [one.path]).length === 0 || this.#disk.lstat(join(this.#loaded.folder, one.path))) return [];
      const from = namesOf(one, (names ??= this.#names())).find(
        (name) => !taken.has(name) && bytesAt.get(name) !== one.sha256 && this.#has(name, one.sha256),
      );
      if (from === undefined) return [];
      taken.add(from);
      return [{ path: one.path, from }];
    });
  }

  /** Those at names that no attempt has, while the same bytes stand at their own name. */
  copies(): string[] {
    const all = this.#named();
    const own = new Set(all.map(({ path }) => path));
    // The runner gives the output of an attempt that runs its name before the log has the end.
    const packet = this.#loaded.entity?.packet;
    for (const attempt of openAttempts(packet))
      for (const kind of STAGE_FILES) for (const name of namesOfOpen(packet!, attempt, kind)) own.add(name);
    const strays = this.#names().filter((name) => !own.has(name));
    const isCopyOf = (name: string, one: Named): boolean =>
      namesOf(one, [name]).length > 0 && this.#has(name, one.sha256) && this.#has(one.path, one.sha256);
    return strays.filter((name) => all.some((one) => isCopyOf(name, one)));
  }

  /** Files that the archive dropped are nowhere. */
  #named(): Named[] {
    return (this.#loaded.entity?.packet?.attempts ?? []).flatMap(({ stage, ended }) =>
      Object.entries(ended?.files ?? {}).flatMap(([kind, { path, sha256, dropped }]) =>
        dropped === true ? [] : [{ stage, kind: kind as StageFile, path, sha256 }],
      ),
    );
  }

  #names(): string[] {
    const folder = join(this.#loaded.folder, "outputs");
    if (this.#disk.lstat(folder)?.kind !== "folder") return [];
    return listFolder(this.#disk, folder).map((name) => `outputs/${name}`);
  }

  #has(path: string, sha256: string): boolean {
    const found = inspectFile(this.#disk, this.#loaded.folder, path);
    return found.state === "present" && found.sha256 === sha256;
  }
}

/** Of these names those that an attempt of its stage may have, or had before others joined them. */
function namesOf({ stage, kind }: Named, names: readonly string[]): string[] {
  const latest = stageFile(stage, kind);
  const before = latest.slice(0, -kind.length);
  const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text);
  return names.filter(
    (name) =>
      name === latest ||
      (name.startsWith(before) && name.endsWith(`.${kind}`) && isNumber(name.slice(before.length, -kind.length - 1))),
  );
}
