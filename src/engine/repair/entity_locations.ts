/** The folders of entities, live and archived, as they stand on disk. */
import { join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { remedy, remedyOf, toolName } from "../../remedy.ts";
import { errnoOf, isKeptFrom } from "../../files/storage_error.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { EngineContext } from "../core/context.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { wholeFile } from "../core/finding.ts";

/** Folders of one id, or of all, in natural order, live ones first. */
export function entityLocations(engine: EngineParts, id?: string): EntityLocation[] {
  const { store } = engine;
  const links = partFindings(engine).map(({ file }) => file);
  // Nothing below a link is listed: the disk would refuse to. The same holds for what this user may not read.
  const open = (part: string): boolean => !links.includes(".coco") && !links.includes(`.coco/${part}`);
  const tasks = open("tasks") ? store.ids().toSorted(compareIds) : [];
  const archived = open("archive") ? store.archivedIds().toSorted(compareIds) : [];
  const all = [
    ...tasks.map((name): EntityLocation => ({ id: name, part: "tasks" })),
    ...archived.map((name): EntityLocation => ({ id: name, part: "archive" })),
  ].filter((place) => id === undefined || place.id === id);
  if (id !== undefined && all.length === 0) {
    store.refuseLeftOut(id);
    const gone = store.wentAway.refusalOf(id);
    throw new TaskfoldError(
      "UNKNOWN_ID",
      `Expected the id of a plan or task, also of an archived one; found ${JSON.stringify(id.slice(0, 80))}.${gone.message}`,
      {
        ...remedy`${toolName("tasks_context")} lists the ids that are there.`,
        ...remedyOf(gone),
        details: { id: id.slice(0, 80), ...gone.details },
      },
    );
  }
  return all;
}

/** Links above the folders of entities: nothing below them is part of what is reviewed (VERIFY-9). And parts that this user may not read (VERIFY-60). */
export function partFindings({
  context: { disk, layout },
}: {
  readonly context: Pick<EngineContext, "disk" | "layout">;
}): Finding[] {
  const parts = [".coco", ".coco/tasks", ".coco/archive"];
  const links = parts.filter((part) => disk.lstat(join(layout.root, part))?.kind === "link");
  if (links.length > 0) return links.map((part) => wholeFile("PATH_UNSAFE", part, "Expected a folder, found a link."));
  return parts.slice(1).flatMap((part) =>
    orUnreadable(part, () => {
      if (disk.lstat(join(layout.root, part))?.kind === "folder") disk.readdir(join(layout.root, part));
      return [];
    }),
  );
}

/** The findings of a look; where this user may not look, that is the finding. `path`: relative to the root. */
export function orUnreadable(path: string, look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (e) {
    if (!isKeptFrom(e)) throw e;
    return [
      wholeFile("FOLDER_UNREADABLE", path, `Expected a folder that this user may read; the system said ${errnoOf(e)}.`),
    ];
  }
}
