// @module-tag rotating
/** The first look of the viewer at very many logs takes a second thread, and whatever becomes of that one, the rows are the same. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BoardAnswer } from "../../src/views/viewer/api.ts";
import { child } from "../support/child.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { THREADS } from "../support/threads.ts";

const TASKS = 2100;
/** Few enough to be watched. */
const WATCHED = 1900;
const fileOf = (path: string): string => JSON.stringify(`file://${join(ROOT, path)}`);

/** Says what boards there are, with another runtime each time, and how many watches there are at the first answer. */
const BODY = `
import fs, { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { scaleWorkspace } from ${fileOf("bench/lib/scale_workspace.mjs")};
import { Viewer } from ${fileOf("dist/engine/open_viewer.js")};
${THREADS}
const folder = join(root, "many");
mkdirSync(folder);
await scaleWorkspace(folder, { tasks: ${TASKS}, open: 100 });
const at = (id, name) => join(folder, ".coco/tasks", id, name);
appendFileSync(at("TASK-300", "events.jsonl"), "no line\\n");
writeFileSync(at("TASK-500", "events.jsonl"), "no line\\n");
rmSync(at("TASK-900", "events.jsonl"));

let watches = 0;
const { watch } = fs;
fs.watch = (...given) => {
  watches++;
  return watch(...given);
};
syncBuiltinESMExports();

const boardWith = async (count) => {
  const viewer = new Viewer({ root: folder, version: "0", now: () => 0, runtime: count.runtime });
  const { body } = await viewer.answer("board/0.json");
  viewer.close();
  return { board: JSON.parse(await body()), started: count.started };
};
const boards = {
  shared: await boardWith(new Counted(1)),
  refused: await boardWith(new Counted(1, refused)),
  dying: await boardWith(new Counted(1, dying)),
  silent: await boardWith(new Counted(1, silent)),
  alone: await boardWith(new Counted(0)),
};

for (let n = ${WATCHED + 1}; n <= ${TASKS}; n++) rmSync(join(folder, ".coco/tasks", "TASK-" + n), { recursive: true });
const viewer = new Viewer({ root: folder, version: "0" });
const ended = new AbortController();
const stream = viewer.changes(ended.signal);
const next = stream.next();
watches = 0;
await viewer.answer("board/0.json");
const atAnswer = watches;
while (watches < ${WATCHED}) await new Promise((done) => setTimeout(done, 20));
ended.abort();
await next;
viewer.close();
process.send({ boards, atAnswer });
`;

describe("the first look with threads", () => {
  it("[regression VIEWER-55, VIEWER-63] finds the same rows with a second thread, without one, and with one that dies or never tells, and watches come later", async () => {
    const { boards, atAnswer } = (await child(tempFolder(), BODY)) as {
      boards: Record<"shared" | "refused" | "dying" | "silent" | "alone", { board: BoardAnswer; started: number }>;
      atAnswer: number;
    };
    const { board } = boards.alone;
    // One log holds no task, and one folder has no log.
    expect(board.total).toBe(TASKS - 2);
    expect(board.warnings.map(({ message }) => message)).toEqual([expect.stringContaining("TASK-500")]);
    expect(Object.values(boards).map(({ started }) => started)).toEqual([1, 0, 1, 1, 0]);
    for (const { board: other } of Object.values(boards)) expect(other).toEqual(board);
    expect(atAnswer).toBeLessThan(WATCHED / 2);
  }, 180_000);
});
