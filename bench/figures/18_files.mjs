import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { nodeDisk } from "../../dist/disk.js";
import { row } from "../lib/report.mjs";
import { TASK, note, taskWorkspace } from "../lib/workspaces.mjs";

/** A disk that notes which files below a folder are written: appended to, or put in place by rename or exchange. */
function countingDisk(below) {
  const names = new Map();
  const written = [];
  const noteIf = (path) => {
    if (path.startsWith(below + sep) && !path.includes(".tf-tmp-")) written.push(path.slice(below.length + 1));
  };
  const disk = {
    ...nodeDisk,
    open: (path, flags) => {
      const fd = nodeDisk.open(path, flags);
      names.set(fd, path);
      return fd;
    },
    write: (fd, bytes, position) => {
      noteIf(names.get(fd) ?? "");
      return nodeDisk.write(fd, bytes, position);
    },
    rename: (from, to) => {
      noteIf(to);
      nodeDisk.rename(from, to);
    },
    exchange: (one, other) => {
      noteIf(other);
      nodeDisk.exchange(one, other);
    },
  };
  return { disk, take: () => written.splice(0) };
}

/** Bytes of every file below a folder. @returns {Map<string, Buffer>} */
function contents(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** Counted, not timed: what a review of the folder would see change, and what was written for it. */
async function count(setting, projections, calls) {
  const folder = setting.folder();
  const task = join(folder, ".coco", "tasks", TASK);
  const counting = countingDisk(task);
  const ws = await taskWorkspace(folder, { projections, disk: counting.disk });
  await note(ws);
  const before = contents(task);
  counting.take();
  await Promise.all(Array.from({ length: calls }, () => note(ws)));
  const written = counting.take();
  const changed = [...contents(task)].filter(([name, bytes]) => before.get(name)?.equals(bytes) !== true);
  await ws.close();
  return { written: written.length, changed: changed.length, names: [...new Set(written)].join(", ") };
}

/** @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const rows = [];
  for (const [projections, calls, name] of [
    ["manual", 1, "file writes of a mutation, log only"],
    ["batch", 1, "file writes of a mutation, files in place"],
    ["batch", 64, "file writes of 64 mutations at once"],
  ]) {
    const { written, changed, names } = await count(setting, projections, calls);
    const spread = { median: written, min: written, max: written };
    const told = `${changed} files changed; written: ${names}`;
    rows.push(row({ figure: 18, name, unit: "writes", spread, better: "lower", must: changed, aim: changed, told }));
  }
  return rows;
}
