import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Candidates } from "../../src/engine/listing/candidates.ts";
import { namesOf } from "../../src/log/repair.ts";
import { heldUpBy } from "../../src/rules/ready.ts";
import { compareIds } from "../../src/state/compare_ids.ts";
import type { Ref } from "../../src/state/entity.ts";
import type { Listed } from "../../src/state/listed.ts";
import { SortedList } from "../../src/state/sorted_list.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const TASKS = 12;
/** Tasks that no row tells of. */
const AWAY = 3;

const refTo = (n: number): Ref => ({ id: `TASK-${n}`, root: `root ${n}` });

interface Task {
  n: number;
  free_from: string | null;
  on: number[];
  plan: number;
}

type Change =
  | { what: "set"; task: Task; done: boolean }
  | { what: "delete"; n: number }
  | { what: "away"; n: number; done: boolean }
  | { what: "away, at a look at everything"; n: number; done: boolean }
  | { what: "time"; now: number }
  | { what: "ask"; plan: number | undefined; most: number };

const n = fc.nat(TASKS - 1);
const time = fc.nat(9);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    what: fc.constant("set" as const),
    done: fc.boolean(),
    task: fc.record({
      n,
      free_from: fc.oneof(fc.constantFrom("", null), time.map(String)),
      on: fc.array(fc.nat(TASKS + AWAY - 1), { maxLength: 2 }),
      plan: fc.nat(1),
    }),
  }),
  fc.record({ what: fc.constant("delete" as const), n }),
  fc.record({
    what: fc.constantFrom("away" as const, "away, at a look at everything" as const),
    n: fc.integer({ min: TASKS, max: TASKS + AWAY - 1 }),
    done: fc.boolean(),
  }),
  fc.record({ what: fc.constant("time" as const), now: time }),
  fc.record({ what: fc.constant("ask" as const), plan: fc.option(fc.nat(1), { nil: undefined }), most: fc.nat(20) }),
);

/** What the candidates are about, and how often the rule was asked. */
class Scene {
  readonly candidates = new Candidates();
  readonly open = new Map<number, Listed>();
  readonly done = new Set<number>();
  now = "0";
  asked = 0;

  /** As the walk finds it. */
  isReady(row: Listed): boolean {
    return heldUpBy(row, this.now, ({ id }) => this.done.has(Number(id.slice(5)))) === null;
  }

  walk(plan: number | undefined): string[] {
    const rows = [...this.open.values()].filter((row) => plan === undefined || row.parent?.root === `plan ${plan}`);
    return rows
      .filter((row) => this.isReady(row))
      .map(({ id }) => id)
      .toSorted(compareIds);
  }

  ask(plan: number | undefined, most: number): string[] {
    const found: string[] = [];
    const isListed = ({ id }: Ref): boolean => Number(id.slice(5)) < TASKS;
    const isDone = ({ id }: Ref): boolean => this.done.has(Number(id.slice(5)));
    const root = plan === undefined ? undefined : `plan ${plan}`;
    let after: Listed | undefined;
    while (found.length < most) {
      after = this.candidates.next(this.now, { plan: root, after });
      if (!after) break;
      this.asked++;
      const heldUp = heldUpBy(after, this.now, isDone);
      if (heldUp) this.candidates.defer(after.id, heldUp, isListed);
      else found.push(after.id);
    }
    return found;
  }

  change(one: Exclude<Change, { what: "ask" }>): void {
    if (one.what === "time") this.now = String(one.now);
    else if (one.what === "delete") {
      this.open.delete(one.n);
      this.done.delete(one.n);
      this.candidates.delete(refTo(one.n).id);
      this.candidates.changed(refTo(one.n).id);
    } else if (one.what === "set") this.#set(one.task, one.done);
    else {
      if (one.done) this.done.add(one.n);
      else this.done.delete(one.n);
      // By either of the names that its folder may have.
      if (one.what === "away") this.candidates.changed(namesOf(refTo(one.n))[one.done ? 0 : 1]!);
      else this.candidates.changedAll();
    }
  }

  #set({ n: number, free_from, on, plan }: Task, done: boolean): void {
    const { id, root } = refTo(number);
    const parent = { id: `PLAN-${plan}`, root: `plan ${plan}` };
    const row = { id, root, free_from, depends_on: on.map(refTo), parent } as unknown as Listed;
    this.open.delete(number);
    this.done.delete(number);
    if (done) {
      this.done.add(number);
      this.candidates.delete(id);
    } else {
      this.open.set(number, row);
      this.candidates.set(row);
    }
    this.candidates.changed(id);
  }
}

describe("tasks that are tried by claims", () => {
  it(
    "[regression LEASE-35] are those that a walk over all open tasks finds, whatever changed in whatever order",
    SWEEP,
    () => {
      fc.assert(
        fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
          const scene = new Scene();
          const [found, walked]: [string[][], string[][]] = [[], []];
          for (const one of changes) {
            if (one.what === "ask") {
              found.push(scene.ask(one.plan, one.most));
              walked.push(scene.walk(one.plan).slice(0, one.most));
            } else scene.change(one);
          }
          expect(found).toEqual(walked);
          expect(scene.ask(undefined, Infinity)).toEqual(scene.walk(undefined));
        }),
        runsOf(2000),
      );
    },
  );

  it("[regression LEASE-35] are asked about again only when what held them up may be over", () => {
    const scene = new Scene();
    const set = (task: Task): void => scene.change({ what: "set", task, done: false });
    const asked = (): number => {
      const before = scene.asked;
      scene.ask(undefined, 1);
      return scene.asked - before;
    };
    set({ n: 0, free_from: "5", on: [], plan: 0 });
    set({ n: 1, free_from: null, on: [], plan: 0 });
    set({ n: 2, free_from: "", on: [4], plan: 0 });
    set({ n: 3, free_from: "", on: [TASKS], plan: 0 });
    set({ n: 4, free_from: "", on: [], plan: 0 });
    expect([asked(), asked(), asked()]).toEqual([5, 1, 1]);
    scene.change({ what: "time", now: 5 });
    expect(scene.ask(undefined, 1)).toEqual(["TASK-0"]);
    scene.change({ what: "delete", n: 0 });
    scene.change({ what: "away", n: TASKS, done: true });
    expect(scene.ask(undefined, 1)).toEqual(["TASK-3"]);
    scene.change({ what: "set", task: { n: 4, free_from: null, on: [], plan: 0 }, done: true });
    expect(scene.ask(undefined, 1)).toEqual(["TASK-2"]);
    expect(asked()).toBe(1);
  });
});

describe("a list in an order of its own", () => {
  it("is that of its items, however many come and go", SWEEP, () => {
    const action = fc.record({ key: fc.nat(5000), isGone: fc.boolean() });
    fc.assert(
      fc.property(fc.nat(3000), fc.array(action, { maxLength: 3000, size: "max" }), (many, actions) => {
        const items = Array.from({ length: many }, (_, i) => ({ key: i * 2, text: "first" }));
        const list = new SortedList<{ key: number }, { key: number; text: string }>((a, b) => a.key - b.key, items);
        const known = new Map(items.map((item) => [item.key, item]));
        for (const { key, isGone } of actions) {
          if (isGone) {
            list.delete({ key });
            known.delete(key);
          } else {
            const item = { key, text: "another" };
            list.set(item);
            known.set(key, item);
          }
        }
        const sorted = [...known.values()].toSorted((a, b) => a.key - b.key);
        expect(list.all).toEqual(sorted);
        const walked = [];
        for (let one = list.after(); one; one = list.after(one)) walked.push(one);
        expect(walked).toEqual(sorted);
        for (const { key } of actions.slice(0, 50))
          expect(list.after({ key })).toEqual(sorted.find((one) => one.key > key));
      }),
      runsOf(40),
    );
  });
});
