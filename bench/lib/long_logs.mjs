// Workspaces whose one task has a log of a given length and the same state whatever the length, and appends from outside.
import * as fs from "node:fs";
import { join } from "node:path";
import { sealOp } from "../../dist/log/envelope.js";
import { bigLog } from "./big_log.mjs";
import { TASK, taskWorkspace } from "./workspaces.mjs";

/** A root with the task's log in it, and nothing else of the task. @param {string} folder @param {number} events @param {{ thoughts?: boolean }} [what] */
export async function longTask(folder, events, what) {
  const ws = await taskWorkspace(folder, { durability: "os" });
  await ws.close();
  const task = join(folder, ".coco", "tasks", TASK);
  fs.rmSync(task, { recursive: true });
  fs.rmSync(join(folder, ".coco", "registry"), { recursive: true });
  fs.mkdirSync(task, { recursive: true });
  const log = join(task, "events.jsonl");
  fs.writeFileSync(log, bigLog(events, what));
  return log;
}

/** Appends one op at a time, as another process would. @param {string} log */
export function outsideWriter(log) {
  const bytes = fs.readFileSync(log);
  const last = JSON.parse(bytes.subarray(bytes.lastIndexOf(0x0a, bytes.length - 2) + 1).toString("utf8"));
  const fd = fs.openSync(log, "a");
  let heads = [last.hash];
  let { seq } = last;
  let n = 0;
  return {
    append: () => {
      const sealed = sealOp({
        taskId: TASK,
        by: "agent:outside",
        ts: last.ts,
        tool: "tasks_note",
        opId: (n++).toString(16).padStart(16, "f"),
        heads,
        seq,
        drafts: [
          { type: "step.noted", payload: { step_id: "STEP-00000001", note: `Outside ${n}.`, message: "Noted." } },
        ],
      });
      fs.writeSync(fd, sealed.bytes);
      heads = [sealed.events[0].hash];
      seq++;
    },
    close: () => fs.closeSync(fd),
  };
}
