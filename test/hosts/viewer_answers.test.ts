/** What a page of the viewer keeps, and what it asks for again. The server is stood in for by `fetch`. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Name } from "../../viewer/src/data/names.ts";
import { ROTATING } from "../support/sweep.ts";

describe("answers that a page keeps", () => {
  let page: typeof import("../../viewer/src/data/answers.ts");
  let names: (typeof import("../../viewer/src/data/names.ts"))["names"];
  let asked: string[] = [];

  beforeAll(async () => {
    vi.stubGlobal("document", { querySelector: () => null });
    vi.stubGlobal("fetch", (url: string) => {
      asked.push(url);
      return Promise.resolve(new Response(JSON.stringify({ api: 1, count: asked.length })));
    });
    page = await import("../../viewer/src/data/answers.ts");
    ({ names } = await import("../../viewer/src/data/names.ts"));
    return () => vi.unstubAllGlobals();
  });
  beforeEach(() => {
    asked = [];
  });

  /** Whether a second reader is given what the first one read, after these plans and tasks changed. */
  async function isKept(name: Name<unknown>, changed: string[]): Promise<boolean> {
    page.askAgain(name);
    await expect.poll(() => asked.length).toBe(1);
    await new Promise((done) => setTimeout(done, 20));
    page.refresh(changed);
    await new Promise((done) => setTimeout(done, 150));
    await page.answerOf(name);
    return asked.length === 1;
  }

  it(
    "[PAGE-16] revisions and differences are read again after a change of their task, and of no other",
    ROTATING,
    async () => {
      for (const name of [names.revision("TASK-001", 3), names.difference("TASK-001", 1, 3)]) {
        asked = [];
        expect(await isKept(name, ["TASK-002"]), name.text).toBe(true);
        asked = [];
        expect(await isKept(name, ["TASK-001"]), name.text).toBe(false);
      }
      asked = [];
      expect(await isKept(names.output("TASK-001", "0".repeat(64), 0), ["TASK-001"])).toBe(true);
    },
  );
});
