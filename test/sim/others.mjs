// @ts-check
/**
 * Other programs in the folder of a plan or task. An editor saves by a rename, Coco appends, and a person deletes or moves. Each does it
 * at once, between two calls of a process. None of them takes a lock or notifies readers.
 */

/** @typedef {import("./disk.mjs").Disk} Disk */
/**
 * `readme`, `notes`, `section`: an editor saves README.md, the notes of people, or a section of the Taskdoc. `line`, `half`: Coco appends a line to the log, or the half
 * of one. `yaml`: Coco writes task.yaml anew. `file`: a person deletes README.md and task.yaml. `folder`: deletes the folder. `move`: moves it into the archive.
 * @typedef {"readme" | "notes" | "section" | "line" | "half" | "yaml" | "file" | "folder" | "move"} Deed
 */

/** Some twice: they are more frequent. @type {readonly Deed[]} */
export const DEEDS = ["readme", "notes", "notes", "section", "line", "line", "half", "yaml", "file", "folder", "move"];

/** Deeds after which a plan or task has lost acknowledged changes, for nothing has them. @type {ReadonlySet<Deed>} */
export const LOSING = new Set(/** @type {const} */ (["folder"]));
/** Deeds after which a write, `rebuild` or `resolve` has something to put right. @type {ReadonlySet<Deed>} */
export const DRIFTING = new Set(
  /** @type {const} */ (["readme", "notes", "section", "line", "half", "yaml", "file", "move"]),
);

const FILES = /** @type {const} */ ({
  readme: "README.md",
  notes: "shared/human-notes.md",
  section: "taskdoc.tsk/goals.md",
  yaml: "task.yaml",
});

/** @param {Disk} disk @param {string} id @param {Deed} deed @param {number} now milliseconds since 1970 @returns {boolean} whether there was something to do it to */
export function othersDo(disk, id, deed, now) {
  const folder = `/w/.coco/tasks/${id}`;
  if (disk.find(folder)?.kind !== "folder") return false;
  switch (deed) {
    case "line":
    case "half":
      return cocoAppends(disk, `${folder}/events.jsonl`, deed, now);
    case "folder":
      removed(disk, folder);
      return true;
    case "file":
      for (const name of [FILES.readme, FILES.yaml])
        if (disk.find(`${folder}/${name}`)) disk.unlink(`${folder}/${name}`);
      return true;
    case "move":
      return moved(disk, folder, id);
    default:
      return saved(disk, `${folder}/${FILES[deed]}`, deed);
  }
}

/** Beside a writer that may be in the middle of its own line. @param {Disk} disk @param {string} log @param {"line" | "half"} deed @param {number} now */
function cocoAppends(disk, log, deed, now) {
  const file = disk.find(log);
  if (!file) return false;
  const line = `${JSON.stringify({ ts: new Date(now).toISOString(), type: "agent.started", agentInstance: "coco", payload: {} })}\n`;
  disk.write(file.ino, Buffer.from(deed === "half" ? line.slice(0, line.length / 2) : line), undefined);
  return true;
}

/** @param {Disk} disk @param {string} path @param {string} deed */
function saved(disk, path, deed) {
  const before = disk.find(path);
  if (!before) return false;
  const at = path.lastIndexOf("/");
  const swap = `${path.slice(0, at)}/.${path.slice(at + 1)}.swp`;
  const { ino } = disk.open(swap, "a+");
  disk.truncate(ino, 0);
  disk.write(
    ino,
    Buffer.from(`${before.data.toString("utf8")}\n${deed === "yaml" ? "extra: by Coco" : "Written by hand."}\n`),
    undefined,
  );
  disk.syncing(ino).done();
  disk.rename(swap, path);
  return true;
}

/** @param {Disk} disk @param {string} folder */
function removed(disk, folder) {
  for (const name of disk.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (disk.find(path)?.kind === "folder") removed(disk, path);
    else disk.unlink(path);
  }
  disk.rmdir(folder);
}

/** @param {Disk} disk @param {string} folder @param {string} id */
function moved(disk, folder, id) {
  if (!disk.find("/w/.coco/archive")) disk.mkdir("/w/.coco/archive");
  if (disk.find(`/w/.coco/archive/${id}`)) return false;
  disk.rename(folder, `/w/.coco/archive/${id}`);
  return true;
}
