/** What a page of the viewer keeps, and what it asks for again. The server is stood in for by `fetch`. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Name } from "../../viewer/src/data/names.ts";
import { ROTATING } from "../support/sweep.ts";

describe("answers that a page keeps", () => {
  let page: typeof import("../../viewer/src/data/answers.ts");
  let names: (typeof import("../../viewer/src/data/names.ts"))["names"];
  let asked: string[] = [];
  let signals: (AbortSignal | null | undefined)[] = [];

  beforeAll(async () => {
    vi.stubGlobal("document", { querySelector: () => null });
    vi.stubGlobal("fetch", (url: string, { signal }: RequestInit) => {
      asked.push(url);
      signals.push(signal);
      return Promise.resolve(new Response(JSON.stringify({ api: 1, count: asked.length })));
    });
    page = await import("../../viewer/src/data/answers.ts");
    ({ names } = await import("../../viewer/src/data/names.ts"));
    return () => vi.unstubAllGlobals();
  });
  beforeEach(() => {
    asked = [];
    signals = [];
  });

  /** Whether a second reader is given what the first one read, after these plans and tasks changed. */
  async function isKept(name: Name<unknown>, changed: string[]): Promise<boolean> {
    page.askAgain(name);
    await expect.poll(() => asked.length).toBe(1);
    await new Promise((done) => setTimeout(done, 20));
    page.refresh(changed);
    await new Promise((done) => setTimeout(done, changed.includes("TASK-001") ? 150 : 900));
    await page.answerOf(name);
    return asked.length === 1;
  }

  it(
    "[VIEWER-7] [regression PAGE-16] revisions and differences are read again after a change of their task, revisions also of another",
    ROTATING,
    async () => {
      for (const name of [names.revision("TASK-001", 3), names.difference("TASK-001", 1, 3)]) {
        asked = [];
        const isRevision = name.text.includes("/revisions/");
        expect(await isKept(name, ["TASK-002"]), name.text).toBe(!isRevision);
        asked = [];
        expect(await isKept(name, ["TASK-001"]), name.text).toBe(false);
      }
      asked = [];
      expect(await isKept(names.list("TASK-001", "notes", 0, 3), ["TASK-002"])).toBe(true);
      asked = [];
      expect(await isKept(names.output("TASK-001", "0".repeat(64), 0), ["TASK-001"])).toBe(true);
    },
  );

  it("[regression PAGE-24] a page asks for the revision at which the slider rested, and gives up one that it left", async () => {
    const seen = (): void => undefined;
    const ask = (revision: number): (() => void) =>
      page.watch(names.revision("TASK-009", revision).text, seen, page.REST);
    for (let revision = 1; revision < 40; revision++) ask(revision)();
    const leave = ask(40);
    expect(asked).toEqual([]);
    await expect.poll(() => asked).toEqual(["api/v1/entities/TASK-009/revisions/40.json"]);
    leave();
    expect(signals[0]?.aborted, "an answer that came is held, so there is nothing to give up").toBe(false);

    const answered = globalThis.fetch;
    let isAsked = false;
    vi.stubGlobal("fetch", (_url: string, { signal }: RequestInit) => {
      isAsked = true;
      return new Promise((_done, fail) => signal!.addEventListener("abort", () => fail(new Error("aborted"))));
    });
    const leaveUnanswered = ask(41);
    await expect.poll(() => isAsked).toBe(true);
    leaveUnanswered();
    vi.stubGlobal("fetch", answered);
    asked = [];
    const leaveAnswered = ask(41);
    await expect.poll(() => asked, { message: "one that was given up is asked for again" }).toHaveLength(1);
    leaveAnswered();
  });
});
