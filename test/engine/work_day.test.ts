import { describe, expect, it } from "vitest";
import { repository } from "../support/git.ts";
import { workDay } from "../support/work_day.ts";
import { openTemp, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

describe("what a day of two agents leaves in git", () => {
  it("[DIR-3] is six files for each plan and task, and the output of each run", ROTATING, async () => {
    const { ada: clone } = repository();
    const [ada, bob] = ["agent:ada", "agent:bob"].map((by) => openTemp({ root: clone.root, by }));
    await ada!.init(WORKSPACE);
    clone.commit("morning");
    await workDay(ada!, bob!);
    clone.commit("evening");
    const changed = clone.git("diff", "--name-only", "HEAD~1").trimEnd().split("\n");
    const names = changed.map((path) => path.replace(/^\.coco\/tasks\/[^/]+\//, "").replace(/[0-9a-f]{64}$/, "*"));
    const counts = Object.fromEntries([...new Set(names)].map((n) => [n, names.filter((other) => other === n).length]));
    expect(counts).toEqual({
      "README.md": 7,
      "events.jsonl": 7,
      "task.yaml": 7,
      "shared/context-manifest.yaml": 7,
      "shared/human-notes.md": 7,
      "shared/evidence/index.json": 7,
      "shared/evidence/blobs/*": 5,
    });
    expect(clone.git("diff", "--stat", "HEAD~1")).not.toMatch(/\|\s+0$/m);
  });
});
