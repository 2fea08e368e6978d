/** What pages of the viewer hold while changes come: rows of the board, answers, marks. The server is stood in for by `fetch`. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BoardRow, ChangeEvent } from "../../src/views/viewer/api.ts";
import type { StreamMessage } from "../../viewer/src/data/event_stream.ts";

/** Questions that wait for their answer, by name. */
let asked: { name: string; answer: (body: object, status?: number) => void }[] = [];
/** What pages of a browser hear, as the stream gives it. */
let say: (said: StreamMessage) => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  asked = [];
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal(
    "fetch",
    (url: string) =>
      new Promise<Response>((done) =>
        asked.push({
          name: url.replace("api/v1/", ""),
          answer: (body, status = 200) =>
            done(new Response(JSON.stringify(body), { status, headers: { "taskfold-stamp": "s" } })),
        }),
      ),
  );
  vi.doMock("../../viewer/src/data/event_stream.ts", () => ({
    listenToEvents: (take: (said: StreamMessage) => void) => void (say = take),
  }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.doUnmock("../../viewer/src/data/event_stream.ts");
});

function row(id: string, title = id): BoardRow {
  return { ...({} as BoardRow), id, kind: "task", title };
}

function page(at: number, pages: number, rows: BoardRow[], stamp = "s"): object {
  return { api: 1, stamp, page: at, pages, total: 4, rows, warnings: [], warnings_total: 0 };
}

function told(what: "new" | "changed" | "gone", id: string, title = id): ChangeEvent {
  const change = { id, what, head: "", revision: 1, row: what === "gone" ? null : row(id, title) };
  return { stamp: "t", changes: [change], others: [] };
}

/** Answers the oldest question. */
async function answer(body: object, status?: number): Promise<void> {
  asked.shift()!.answer(body, status);
  await vi.advanceTimersByTimeAsync(0);
}

const names = (): string[] => asked.map(({ name }) => name);

describe("rows of the board", () => {
  const four = ["T-1", "T-2", "T-3", "T-10"].map((id) => row(id));

  async function opened() {
    const held = await import("../../viewer/src/data/board.ts");
    held.openBoard();
    const ids = (): string[] => held.board.get().rows.map(({ id }) => id);
    return { ...held, ids };
  }

  it("[regression PAGE-96] a board whose tasks come without an end shows each of them, and each reading that ends", async () => {
    const { board, ids, takeChanges } = await opened();
    await answer(page(0, 1, four));
    let published = 0;
    board.watch(() => published++);
    for (let n = 11; n < 31; n++) {
      takeChanges(told("new", `T-${n}`));
      expect(ids().at(-1), "a row is there with its event").toBe(`T-${n}`);
      await vi.advanceTimersByTimeAsync(300);
      expect(asked.length, "one reading at a time").toBeLessThan(2);
      // A reading takes longer than the next task: its answer lacks what came since.
      if (n % 5 === 0 && asked.length > 0) await answer(page(0, 1, four));
      expect(ids(), "a reading that is older takes no row away").toContain(`T-${n}`);
    }
    expect(published).toBeGreaterThan(20);
  });

  it("[regression PAGE-96] rows come to their places, and those that changed or went beside them do so at once", async () => {
    const { board, ids, takeChanges } = await opened();
    await answer(page(0, 2, four.slice(0, 2)));
    takeChanges({
      ...told("new", "T-4"),
      changes: [told("new", "T-4"), told("gone", "T-1"), told("changed", "T-2", "Two")].flatMap((one) => one.changes),
    });
    expect(board.get().rows.map(({ title }) => title)).toEqual(["Two", "T-4"]);
    await answer(page(1, 2, four.slice(2), "t"));
    expect(board.get().rows.map(({ title }) => title)).toEqual(["Two", "T-3", "T-4", "T-10"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(names(), "all are read again, once").toEqual(["board/0.json"]);
    await answer(page(0, 1, four));
    expect(ids()).toEqual(["T-1", "T-2", "T-3", "T-10"]);
  });

  it("[VIEWER-28] an event without rows takes none away, and the board is read again", async () => {
    const { board, ids, takeChanges } = await opened();
    await answer(page(0, 1, four));
    const changes = ["T-2", "T-3"].map((id) => ({ id, what: "changed" as const, head: "", revision: 2, row: null }));
    takeChanges({ stamp: "s", changes, others: [] });
    expect(ids()).toEqual(["T-1", "T-2", "T-3", "T-10"]);
    await vi.advanceTimersByTimeAsync(1000);
    await answer(page(0, 1, [row("T-2", "Another title")]));
    expect(board.get().rows.map(({ title }) => title)).toEqual(["Another title"]);
  });

  it("[regression PAGE-96] a board whose last page went while it was read is read again, and tells of no failure", async () => {
    const { board, ids } = await opened();
    await answer(page(0, 2, four.slice(0, 3)));
    await answer({ api: 1, error: { code: "UNKNOWN_ID", message: "no such page", recovery: null } }, 404);
    expect(board.get().refusal).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    await answer(page(0, 1, four.slice(0, 2)));
    expect(ids()).toEqual(["T-1", "T-2"]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(names()).toEqual([]);
  });

  it("[PAGE-51] a board that lost a page says so, keeps the others, and asks for it again", async () => {
    const { board, ids, openBoard, refreshBoard } = await opened();
    await answer(page(0, 3, four.slice(0, 1)));
    const error = { code: "STORAGE_FAILED", message: "no disk", recovery: null };
    await answer({ api: 1, error }, 500);
    await answer(page(2, 3, four.slice(2)));
    expect(board.get()).toMatchObject({ total: 4, complete: false, refusal: { code: "STORAGE_FAILED" } });
    expect(ids()).toEqual(["T-1", "T-3", "T-10"]);
    openBoard();
    expect(names()).toEqual(["board/0.json"]);
    await answer(page(0, 1, four));
    expect(board.get()).toMatchObject({ complete: true, refusal: undefined });
    expect(ids()).toEqual(["T-1", "T-2", "T-3", "T-10"]);
    refreshBoard();
    await answer({ api: 1, error }, 500);
    expect(board.get()).toMatchObject({ complete: true, total: 4, refusal: { code: "STORAGE_FAILED" } });
    expect(ids(), "what was there stays").toHaveLength(4);
  });
});

describe("the stream of changes", () => {
  const state = { stamp: "s", shared: null };

  async function live() {
    const [{ startLive, liveState }, { openBoard }] = await Promise.all([
      import("../../viewer/src/data/live.ts"),
      import("../../viewer/src/data/board.ts"),
    ]);
    startLive();
    openBoard();
    return liveState;
  }

  it("[VIEWER-28] after a time out of sight a page asks again, also where the stamp is the same", async () => {
    await live();
    await answer(page(0, 1, [row("T-1")]));
    say({ kind: "break" });
    say({ kind: "hello", state });
    expect(names(), "there was no stream before").toEqual([]);
    say({ kind: "hello", state });
    expect(names()).toEqual([]);
    say({ kind: "break" });
    say({ kind: "hello", state });
    expect(names()).toEqual(["board/0.json"]);
  });

  it("[VIEWER-28] a change that comes before the greeting hides no break, and no beginning", async () => {
    const liveState = await live();
    await answer(page(0, 1, [row("T-1")]));
    say({ kind: "change", event: { ...told("changed", "T-1"), stamp: "u" } });
    say({ kind: "hello", state: { stamp: "u", shared: null } });
    expect(names(), "the board was read as of another stamp").toEqual(["board/0.json"]);
    await answer(page(0, 1, [row("T-1")]));
    say({ kind: "lost" });
    say({ kind: "change", event: { ...told("changed", "T-1"), stamp: "v" } });
    say({ kind: "shared", state: { stamp: "v", shared: "away" } });
    expect(liveState.get()).toBe("lost");
    say({ kind: "hello", state: { stamp: "v", shared: "away" } });
    expect(names()).toEqual(["board/0.json"]);
    expect(liveState.get()).toBe("alone");
  });
});

describe("a page that listens", () => {
  /** A stream that a page opened, as its browser has it. */
  class Source {
    static readonly open: Source[] = [];
    readonly heard = new Map<string, (event: { data: string }) => void>();
    constructor() {
      Source.open.push(this);
    }
    addEventListener(name: string, take: (event: { data: string }) => void): void {
      this.heard.set(name, take);
    }
    close(): void {
      Source.open.splice(Source.open.indexOf(this), 1);
    }
  }

  async function listening(parts: object): Promise<{ said: string[]; look: (hidden: boolean) => void }> {
    const events = new EventTarget();
    const page = Object.assign(events, { hidden: false, querySelector: () => null });
    vi.stubGlobal("document", page);
    vi.stubGlobal("EventSource", Source);
    vi.stubGlobal("navigator", parts);
    const real = await vi.importActual<typeof import("../../viewer/src/data/event_stream.ts")>(
      "../../viewer/src/data/event_stream.ts",
    );
    const said: string[] = [];
    real.listenToEvents(({ kind }) => said.push(kind));
    const look = (hidden: boolean): void => {
      page.hidden = hidden;
      events.dispatchEvent(new Event("visibilitychange"));
    };
    return { said, look };
  }
  const hello = { data: JSON.stringify({ stamp: "s", shared: null }) };

  afterEach(() => void Source.open.splice(0));

  it("[VIEWER-28] tells of a break when it lets its stream go out of sight", async () => {
    const { said, look } = await listening({});
    Source.open[0]!.heard.get("hello")!(hello);
    look(true);
    expect(Source.open).toEqual([]);
    look(false);
    Source.open[0]!.heard.get("hello")!(hello);
    expect(said).toEqual(["hello", "break", "hello"]);
  });

  it("[VIEWER-28] tells of a break when it listens in the place of a page that was closed", async () => {
    const posted: unknown[] = [];
    vi.stubGlobal(
      "BroadcastChannel",
      class {
        addEventListener = (): void => undefined;
        postMessage = (what: unknown): void => void posted.push(what);
      },
    );
    let hold: () => unknown = () => undefined;
    const { said } = await listening({
      locks: {
        request: (_name: string, held: () => unknown) => {
          hold = held;
          return new Promise(() => undefined);
        },
      },
    });
    expect(said).toEqual([]);
    void hold();
    Source.open[0]!.heard.get("hello")!(hello);
    expect(said).toEqual(["break", "hello"]);
    expect(posted).toContainEqual({ kind: "break" });
  });
});

describe("answers that a page keeps", () => {
  it("[regression PAGE-99] an answer that was dropped takes none of its name with it that was asked for later", async () => {
    const { askAgain, refresh, watch } = await import("../../viewer/src/data/answers.ts");
    const { names: all } = await import("../../viewer/src/data/names.ts");
    const read = async (id: string): Promise<void> => {
      askAgain(all.entity(id));
      await answer({ api: 1 });
    };
    await read("T-0");
    await vi.advanceTimersByTimeAsync(10);
    // It is to be read again, or dropped, in a moment; until then more answers come than a page keeps.
    refresh(["T-0"]);
    for (let n = 1; n <= 120; n++) await read(`T-${n}`);
    await read("T-0");
    await vi.advanceTimersByTimeAsync(100);
    let seen = 0;
    const leave = watch(all.entity("T-0").text, () => seen++);
    expect(names(), "it is held").toEqual([]);
    leave();
  });
});

describe("ids of what changed", () => {
  it("[regression PAGE-98] of a burst of changes each id is said and marked", async () => {
    const { markedIds, noteChanged, announcedIds: saidIds } = await import("../../viewer/src/data/changed_ids.ts");
    for (const id of ["T-1", "T-2", "T-3"]) {
      noteChanged([id]);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect([...markedIds.get()]).toEqual(["T-1", "T-2", "T-3"]);
    expect(saidIds.get()).toEqual([]);
    await vi.advanceTimersByTimeAsync(400);
    expect(saidIds.get()).toEqual(["T-1", "T-2", "T-3"]);
    noteChanged(["T-1"]);
    await vi.advanceTimersByTimeAsync(3500);
    expect([...markedIds.get()], "the mark of the later change stays").toEqual(["T-1"]);
    expect(saidIds.get()).toEqual(["T-1"]);
    await vi.advanceTimersByTimeAsync(600);
    expect(markedIds.get().size).toBe(0);
  });

  it("[regression PAGE-98] where something always changes, ids are said all the same", async () => {
    const { noteChanged, announcedIds: saidIds } = await import("../../viewer/src/data/changed_ids.ts");
    const said: string[] = [];
    saidIds.watch((ids) => said.push(...ids));
    for (let n = 0; n < 30; n++) {
      noteChanged([`T-${n}`]);
      await vi.advanceTimersByTimeAsync(400);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(said).toEqual(Array.from({ length: 30 }, (_, n) => `T-${n}`));
  });
});
