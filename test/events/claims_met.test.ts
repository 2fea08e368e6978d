/** Claims of one step on branches that do not know of each other, and what holds when they meet. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Draft } from "../../src/events/define.ts";
import type { Fold } from "../../src/events/fold.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import type { Lease } from "../../src/state/entity.ts";
import { stepStanding } from "../../src/state/step_standing.ts";
import { allClaims, covering, holding, isSameClaim } from "../../src/state/lease.ts";
import { freeFrom } from "../../src/state/listed.ts";
import { Branches } from "../support/branches.ts";
import { creation, minute } from "../support/logs.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { foldWhole } from "../support/task_work.ts";

const ONE = "STEP-00000001";
const message = "A sentence.";
const said = (type: string, payload: object): Draft => ({ type, payload: { step_id: ONE, ...payload, message } });
const claimed = (fence: number, until: number): Draft =>
  said("lease.claimed", { ttl_s: 60, expires_at: minute(until), fence });
const released = (by: string, fence: number): Draft => said("lease.released", { claim: { by, fence } });
const begun = (log: Branches): SealedOp =>
  log.op([], "agent:ada", creation(message), said("steps.added", { parent: null, steps: [STEP] }));
const STEP = { id: ONE, title: "one", success_criteria: ["c"], tests: [], blockers: [] };
const stepOf = ({ entity }: Pick<Fold, "entity">) => entity!.steps.get(ONE)!;

describe("claims that met", () => {
  let log: Branches;
  let root: SealedOp;
  beforeEach(() => {
    log = new Branches();
    root = begun(log);
  });

  const holder = (at: number): string | null => holding(stepOf(log.fold()), minute(at))?.by ?? null;
  /** Bob's until 90, and behind it Ada's, whose log does not know of Bob's. */
  const met = (until: number): [bob: SealedOp, ada: SealedOp] => [
    log.op([root], "agent:bob", claimed(2, 90)),
    log.op([root], "agent:ada", claimed(2, until)),
  ];
  const fieldIsOpen = (): boolean => log.entity().conflicts.has(`step.${ONE}.lease`);

  it("[LEASE-9] [EVENT-53] a release gives the step back to the claim of another branch that it never saw", () => {
    const [, ada] = met(60);
    expect(holder(10)).toBe("agent:ada");
    log.op([ada], "agent:ada", released("agent:ada", 2));
    expect([holder(10), fieldIsOpen()]).toEqual(["agent:bob", true]);
    // Of one claim the release is the last word: nothing is behind it any more.
    expect(allClaims(stepOf(log.fold()))).toHaveLength(1);
  });

  it("[LEASE-9] a release by one who saw both claims ends the conflict, and the other claim holds", () => {
    log.op(met(60), "agent:ada", released("agent:ada", 2));
    expect([holder(10), fieldIsOpen()]).toEqual(["agent:bob", false]);
    log.op([log.ops.at(-1)!], "agent:bob", released("agent:bob", 2));
    expect([holder(10), fieldIsOpen()]).toEqual([null, false]);
  });

  it("[LEASE-9] a claim that is over by its time leaves the step to the one behind it, and no longer", () => {
    met(30);
    expect([29, 30, 89, 90].map(holder)).toEqual(["agent:ada", "agent:bob", "agent:bob", null]);
    const { entity } = log.fold();
    expect(covering(entity!, stepOf({ entity }), minute(40))).toMatchObject([{ lease: { by: "agent:bob" } }]);
    expect([freeFrom(entity!), stepStanding(entity!)?.claims]).toEqual([minute(90), [[[minute(30), minute(90)], 1]]]);
  });

  it("[LEASE-9] a claim that was over when another one came or ended does not come back", () => {
    const before = log.op([root], "agent:bob", claimed(2, 1));
    log.minute = 2;
    log.op([root], "agent:ada", claimed(2, 60));
    expect(allClaims(stepOf(log.fold()))).toHaveLength(1);
    log = new Branches();
    root = begun(log);
    const [, ada] = met(120);
    log.minute = 100;
    log.op([ada], "agent:ada", released("agent:ada", 2));
    expect([holder(10), allClaims(stepOf(log.fold()))]).toEqual([null, []]);
    expect(before.events).toHaveLength(1);
  });

  it.each([
    ["its own release", released("agent:bob", 2)],
    ["a release without a name, as old logs have it", said("lease.released", {})],
  ])("[LEASE-9] [EVENT-53] a claim behind another one ends by %s", (_what, release) => {
    const [bob, ada] = met(60);
    log.op([bob], "agent:bob", release);
    log.op([ada], "agent:ada", released("agent:ada", 2));
    expect(allClaims(stepOf(log.fold()))).toEqual([]);
  });

  it("[EVENT-63] closing a step ends the claims behind the one that stands, too", () => {
    const done = [said("step.verified", { checkpoints: { criteria: true, tests: true } }), said("step.done", {})];
    const closed = log.op(met(60), "agent:ada", ...done);
    log.op([closed], "agent:ada", said("step.reopened", { reason: "again" }));
    expect(allClaims(stepOf(log.fold()))).toEqual([]);
  });

  it("[LEASE-9] a claim that is renewed stands once, with its new end", () => {
    const [bob] = met(60);
    log.op([bob], "agent:bob", claimed(2, 120));
    expect(allClaims(stepOf(log.fold())).map(({ by, expires_at }) => [by, expires_at])).toEqual([
      ["agent:ada", minute(60)],
      ["agent:bob", minute(120)],
    ]);
  });
});

/** What an agent does next on its branch, as the door lets it: a claim where none holds, else a release or a renewal of the one that does. */
interface Act {
  branch: 0 | 1;
  by: "agent:ada" | "agent:bob" | "agent:eve";
  ttl: number;
  later: number;
  merges: boolean;
  renews: boolean;
}

const ACT: fc.Arbitrary<Act> = fc.record({
  branch: fc.constantFrom(0, 1),
  by: fc.constantFrom("agent:ada", "agent:bob", "agent:eve"),
  ttl: fc.integer({ min: 1, max: 40 }),
  later: fc.integer({ min: 0, max: 4 }),
  merges: fc.boolean(),
  renews: fc.boolean(),
});

/** Each claim that no release names, the last in order first: a model that forgets nothing. */
function unended(ops: readonly SealedOp[]): Lease[] {
  let claims: Lease[] = [];
  for (const { type, payload, by, ts } of ops.flatMap(({ events }) => events)) {
    const of = (payload["claim"] ?? payload) as { by: string; fence: number };
    if (type !== "lease.claimed" && type !== "lease.released") continue;
    const named = { by: type === "lease.claimed" ? by : of.by, fence: of.fence };
    claims = claims.filter((one) => !isSameClaim(one, named));
    if (type === "lease.claimed")
      claims.unshift({ ...named, claimed_at: ts, expires_at: payload["expires_at"] as string });
  }
  return claims;
}

describe("claims on two branches that merge each other", () => {
  it("[LEASE-9] [LEASE-1] no claim is lost before it ends, and none is taken that runs", SWEEP, () => {
    let behind = 0;
    fc.assert(
      fc.property(fc.array(ACT, { minLength: 3, maxLength: 14 }), (acts) => {
        const log = new Branches();
        const root = begun(log);
        const heads: [SealedOp[], SealedOp[]] = [[root], [root]];
        const known: [Set<SealedOp>, Set<SealedOp>] = [new Set([root]), new Set([root])];
        for (const { branch, by, ttl, later, merges, renews } of acts) {
          log.minute += later;
          if (merges) {
            known[branch] = new Set([...known[0], ...known[1]]);
            heads[branch] = [...new Set([...heads[0], ...heads[1]])].filter(
              (head, _i, all) => !all.some((other) => other !== head && isBelow(log, head, other)),
            );
          }
          const own = log.ops.filter((op) => known[branch].has(op));
          const held = holding(stepOf(log.fold(Buffer.concat(own.map(({ bytes }) => bytes)))), minute(log.minute));
          const until = log.minute + ttl;
          const [who, act] = !held
            ? [by, claimed(own.length + 1, until)]
            : [held.by, renews ? claimed(held.fence, until) : released(held.by, held.fence)];
          const op = log.op(heads[branch], who, act);
          heads[branch] = [op];
          known[branch].add(op);
        }
        const fold = foldWhole(Buffer.concat(log.ops.map(({ bytes }) => bytes)));
        const byHash = new Map(log.ops.map((op) => [op.events[0]!.hash, op]));
        const inOrder = fold.history.ops.map(({ op }) => byHash.get(op)!);
        const now = minute(log.minute);
        const running = unended(inOrder).filter(({ expires_at }) => expires_at > now);
        const found = allClaims(stepOf(fold)).filter(({ expires_at }) => expires_at > now);
        expect(found).toEqual(running);
        expect(holding(stepOf(fold), now)).toEqual(running[0] ?? null);
        behind += Math.max(0, running.length - 1);
      }),
      runsOf(2000, 300),
    );
    expect(behind).toBeGreaterThan(10);
  });
});

/** Whether `head` is among what the other one builds on. */
function isBelow(log: Branches, head: SealedOp, other: SealedOp): boolean {
  const byLast = new Map(log.ops.map((op) => [op.events.at(-1)!.hash, op]));
  const parents = other.events[0]!.prev.map((prev) => byLast.get(prev)!);
  return parents.some((parent) => parent === head || isBelow(log, head, parent));
}
