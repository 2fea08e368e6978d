// @module-tag long
/** Claims that were made and released on branches of real repositories, after git merged them. */
import { describe, expect, it } from "vitest";
import type { Clone } from "../support/git_clone.mjs";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "../support/git.ts";
import { call, counting, newTask, ok, openTemp, ticking } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

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
  ])("[LEASE-9] a claim stays if the one that it took over %s it on another branch", ROTATING, async (_when, day) => {
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

  it("[STATUS-1] a row of paths that a merge moved names who added the steps, and when the last of them came", async () => {
    const sides = await twoSides();
    for (const [n, { ws, clone }] of sides.entries()) {
      const added = { title: `of ${n}`, success_criteria: ["x"] };
      await ok(ws, "tasks_decompose", { task: TASK, steps: [added] });
      clone.commit("work");
    }
    const { updated_at } = (await ok(sides[0].ws, "tasks_context", {}))["tasks"]![0 as never] as { updated_at: string };
    await merged(sides);
    const { needs_you: rows } = (await ok(sides[1].ws, "tasks_status", {})) as never as { needs_you: object[] };
    expect(rows).toMatchObject([{ what: "conflict", who: ["agent:bob", "agent:ada"], since: updated_at }]);
  });

  /** Ada and Bob have a clone each of one task. */
  async function twoSides(): Promise<readonly [Side, Side]> {
    const { ada, cloneOf } = repository();
    const begin = sideOf(ada, "agent:ada", 1);
    await newTask(begin.ws);
    await begin.ws.close();
    ada.commit("begin");
    return [sideOf(ada, "agent:ada", 3), sideOf(cloneOf(ada, "bob"), "agent:bob", 2)];
  }

  /** Bob claims for days on one branch, and on the other one Ada later, for a minute. */
  async function metClaims(releases: boolean): Promise<readonly [Side, Side]> {
    const sides = await twoSides();
    await ok(sides[0].ws, "tasks_claim", { ...FIRST, ttl_s: 60 });
    if (releases) await ok(sides[0].ws, "tasks_release", FIRST);
    await ok(sides[1].ws, "tasks_claim", { ...FIRST, ttl_s: 600_000 });
    for (const { clone } of sides) clone.commit("work");
    return sides;
  }

  it("[LEASE-9] the claim that another branch's took over holds, once that was given back", ROTATING, async () => {
    const sides = await metClaims(true);
    expect(await merged(sides)).toEqual([
      { by: "agent:bob", conflict: true },
      { by: "agent:bob", conflict: true },
    ]);
    const [{ ws: ada }, { ws: bob }] = sides;
    expect((await call(ada, "tasks_claim", FIRST)).error).toMatchObject({
      code: "LEASE_HELD",
      details: { by: "agent:bob" },
    });
    const { lease } = (await ok(bob, "tasks_claim", { ...FIRST, fence: 2 })) as { lease: { by: string } };
    expect(lease.by).toBe("agent:bob");
  });

  it("[LEASE-9] [LEASE-2] no caller takes a step while a claim behind the one that is over runs on it", async () => {
    const sides = await metClaims(false);
    expect(await merged(sides)).toEqual([
      { by: "agent:ada", conflict: true },
      { by: "agent:ada", conflict: true },
    ]);
    const { clone } = sides[1];
    const eve = sideOf(clone, "agent:eve", 4).ws;
    const held = { code: "LEASE_HELD", details: { by: "agent:bob" } };
    for (const tool of ["tasks_claim", "tasks_block"] as const)
      expect(
        (await call(eve, tool, { ...FIRST, ...(tool === "tasks_block" ? { reason: "x" } : {}) })).error,
      ).toMatchObject(held);
    expect(await ok(eve, "tasks_release", { ...FIRST, force: true, reason: "bob is gone" })).toMatchObject({
      lease: null,
    });
    expect((await call(eve, "tasks_claim", FIRST)).error).toBeNull();
  });
});
