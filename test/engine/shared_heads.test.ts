/** Which ops the shared log has, told by its heads alone, in whatever order its messages come. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headsAfter } from "../../src/engine/shared/heads.ts";
import type { SharedOp } from "../../src/engine/shared/message_codec.ts";
import type { Event } from "../../src/log/types.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

type Links = Pick<SharedOp, "events">;

/** An op of `length` events behind these hashes. The last one's hash is its name. */
function op(name: string, prev: readonly string[], length = 1): Links {
  const hashes = Array.from({ length }, (_, i) => (i === length - 1 ? name : `${name}.${i}`));
  const events = hashes.map((hash, i) => ({ hash, prev: i === 0 ? prev : [hashes[i - 1]!] }));
  return { events: events as unknown as Event[] };
}

function nameOf({ events }: Links): string {
  return events.at(-1)!.hash;
}

/** Hashes of ops that no op builds on. */
function headsOf(ops: readonly Links[]): string[] {
  const built = new Set(ops.flatMap(({ events }) => events[0]!.prev));
  return ops
    .map(nameOf)
    .filter((name) => !built.has(name))
    .toSorted();
}

/** The heads after these messages. The log here has the ops that came, and `beside`. */
function after(messages: readonly (readonly Links[])[], beside: readonly Links[] = []): string[] {
  let heads: string[] = [];
  const here = [...beside];
  for (const ops of messages) {
    here.push(...ops);
    heads = headsAfter(heads, ops, () => here);
  }
  return heads.toSorted();
}

const [root, a, b, side] = [op("root", []), op("a", ["root"], 2), op("b", ["a"]), op("side", ["root"])];

describe("the heads of the shared log", () => {
  it("[SHARED-1] stay as they are when an op comes a second time, in a message of other ops", () => {
    expect(after([[root, a, b], [a]])).toEqual(["b"]);
    expect(after([[root, a], [side], [a, b], [side, root]])).toEqual(["b", "side"]);
  });

  it("[SHARED-1] are found without the log where ops go behind all of them", () => {
    const unread = () => {
      throw new Error("the log was read");
    };
    expect(headsAfter(["a"], [b, op("c", ["b"])], unread)).toEqual(["c"]);
    expect(headsAfter(["b", "side"], [op("both", ["b", "side"])], unread)).toEqual(["both"]);
  });

  it("[SHARED-1] say nothing of ops that this machine alone has", () => {
    expect(after([[root, a], [side]], [b])).toEqual(["a", "side"]);
  });

  const anyOps = fc
    .array(fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 3 })), {
      maxLength: 12,
    })
    .map((drawn) => {
      const ops = [op("0", [])];
      for (const [parents, length] of drawn) {
        const prev = [...new Set(parents.map((n) => nameOf(ops[n % ops.length]!)))];
        ops.push(op(String(ops.length), prev, length));
      }
      return ops;
    });
  const anyMessages = anyOps.chain((ops) => {
    const some = fc.shuffledSubarray(ops);
    const rest = fc.shuffledSubarray(ops, { minLength: ops.length });
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: ops.length, maxLength: ops.length });
    return fc
      .tuple(fc.array(some, { maxLength: 3 }), rest, sizes, fc.array(some, { maxLength: 3 }))
      .map(([early, all, lengths, late]) => {
        let at = 0;
        const cut = lengths.map((length) => all.slice(at, (at += length)));
        return { ops, messages: [...early, ...cut, ...late].filter((message) => message.length > 0) };
      });
  });

  it("[SHARED-1] are those of the set of ops, in whatever order and however often messages bring them", SWEEP, () => {
    fc.assert(
      fc.property(anyMessages, ({ ops, messages }) => {
        expect(after(messages)).toEqual(headsOf(ops));
      }),
      runsOf(4000),
    );
  });
});
