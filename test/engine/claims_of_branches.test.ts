/** Claims that were made and released on branches of real repositories, after git merged them. */
import { describe, expect, it } from "vitest";
import type { Clone } from "../../scripts/git_clone.mjs";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "../support/git.ts";
import { call, counting, newTask, ok, openTemp, ticking } from "../support/workspace.ts";

const TASK = "TASK-001";
const FIRST = { task: TASK, path: "s:0" };

interface Side {
  clone: Clone;
  ws: ReturnType<typeof openTemp>;
}

function sideOf(clone: Clone, by: string, day: number): Side {
  const now = ticking(Date.UTC(2026, 0, day));
  return {
    clone,
    ws: openTemp({ root: clone.root, by, now, newId: counting(by), git: () => openGit(clone.root) }),
  };
}

/** The holder, and what radar says in its way, after each clone merged the other. */
async function merged(sides: readonly [Side, Side]): Promise<unknown[]> {
  const heads = sides.map(({ clone }) => clone.head());
  return Promise.all(
    sides.map(async ({ clone, ws }, i) => {
      clone.merge(sides[1 - i]!.clone, heads[1 - i]!);
      await ws.repair.resolve(undefined, { stage: true });
      clone.conclude("merge");
      const { radar } = (await ok(ws, "tasks_radar", { task: TASK })) as { radar: { blockers: string[] } };
      const { steps } = (await ok(ws, "tasks_mirror", FIRST)) as never as { steps: { lease?: { by: string } }[] };
      return {
        by: steps[0]?.lease?.by,
        conflict: radar.blockers.some((line) => line.startsWith("Conflict on s:0 lease")),
      };
    }),
  );
}

describe("claims of two branches that git merged", () => {
  it.each([
    ["is given back after", 5],
    ["is given back before", 2],
  ])("[LEASE-51] a claim stays if the one that it took over %s it on another branch", async (_when, day) => {
    const { ada, cloneOf } = repository();
    const begin = sideOf(ada, "agent:ada", 1);
    await newTask(begin.ws);
    await ok(begin.ws, "tasks_claim", { ...FIRST, ttl_s: 60 });
    await begin.ws.close();
    ada.commit("begin");
    const sides = [sideOf(ada, "agent:ada", day), sideOf(cloneOf(ada, "bob"), "agent:bob", 3)] as const;
    await ok(sides[0].ws, "tasks_release", FIRST);
    await ok(sides[1].ws, "tasks_claim", { ...FIRST, ttl_s: 600_000 });
    for (const { clone } of sides) clone.commit("work");
    expect(await merged(sides)).toEqual([
      { by: "agent:bob", conflict: true },
      { by: "agent:bob", conflict: true },
    ]);
    const { ws } = sides[1];
    expect((await call(ws, "tasks_release", FIRST)).error).toBeNull();
    expect((await ok(ws, "tasks_radar", { task: TASK }))["radar"]).toMatchObject({ blockers: [] });
  });
});
