/** What is believed of the copy of one server, beside what the leader has. */
import { describe, expect, it } from "vitest";
import type { SharedLog, SharedLogPort, SharedMessage } from "../../src/engine/core/shared_log.ts";
import { verifyBatch, readVerified } from "../../src/engine/shared/verified_batches.ts";
import { markOf } from "../../src/engine/shared/message_codec.ts";

const PORT = { mode: "strict", address: "nats://none" } as unknown as SharedLogPort;

/** Messages behind those that are there, each naming the mark of the one before it. */
function chain(count: number, name: string, there: readonly SharedMessage[] = []): SharedMessage[] {
  const all = [...there];
  for (let n = 0; n < count; n++) {
    const last = all.at(-1);
    const seq = (last?.seq ?? 0) + 1;
    const own = { seq, id: `${name}-${seq}`, body: Buffer.from(`${name} ${seq}`) } as SharedMessage;
    all.push(last ? { ...own, behind: markOf(last) } : own);
  }
  return all;
}

/** A log whose copy has other messages than its leader, by their places. */
class TwoCopies {
  asked = 0;
  leader: readonly SharedMessage[];
  readonly #copy: readonly SharedMessage[];

  constructor(leader: readonly SharedMessage[], copy: readonly SharedMessage[]) {
    this.leader = leader;
    this.#copy = copy;
  }

  get log(): SharedLog {
    const read: SharedLog["read"] = async function* (this: TwoCopies, after: number, upTo: number, from?: "leader") {
      if (from === "leader") this.asked++;
      yield* (from === "leader" ? this.leader : this.#copy).slice(after, upTo);
    }.bind(this);
    return { read } as unknown as SharedLog;
  }

  async takenIn(upTo = this.leader.length): Promise<{ ids: string[]; differing: number[] }> {
    const ids: string[] = [];
    const differing: number[] = [];
    for await (const run of readVerified({ log: this.log, port: PORT }, { after: 0, upTo, mark: "" })) {
      ids.push(...run.messages.map(({ id }) => id));
      differing.push(...run.differing);
    }
    return { ids, differing };
  }
}

/** `there`, with what stands from `at` on, counted from 1, in the place of its own. */
function withOthers(there: readonly SharedMessage[], at: number, others: readonly SharedMessage[]): SharedMessage[] {
  return [...there.slice(0, at - 1), ...others, ...there.slice(at - 1 + others.length)];
}

function falseOnes(there: readonly SharedMessage[], at: number, count: number): SharedMessage[] {
  return chain(count, "false", there.slice(0, at - 1)).slice(at - 1);
}

describe("messages of a copy that was cut off while it led", () => {
  const idsOf = (messages: readonly SharedMessage[]) => messages.map(({ id }) => id);

  it.each([
    ["in the midst", 30, 2],
    ["at the end", 59, 2],
    ["over the end of what is applied together", 200, 2],
    ["all that is applied together", 201, 200],
    ["the last one alone", 60, 1],
  ])("[SHARED-43] are not believed, however many follow each other (%s)", async (_, at, count) => {
    const leader = chain(Math.max(60, at + count - 1), "true");
    const copies = new TwoCopies(leader, withOthers(leader, at, falseOnes(leader, at, count)));
    const { ids, differing } = await copies.takenIn();
    expect(ids).toEqual(idsOf(leader));
    expect(differing).toEqual(Array.from({ length: count }, (_each, n) => at + n));
  });

  it("[SHARED-43] cost one question to the leader where the copy is as the leader's", async () => {
    const leader = chain(150, "true");
    const copies = new TwoCopies(leader, leader);
    expect(await copies.takenIn()).toEqual({ ids: idsOf(leader), differing: [] });
    expect(copies.asked).toBe(1);
  });

  it("[SHARED-43] give way to the leader's beside a sender that named a wrong mark", async () => {
    const leader = chain(60, "true");
    const wrong = withOthers(leader, 10, [{ ...leader[9]!, behind: "wrong" }]);
    const named = chain(50, "true", wrong.slice(0, 10));
    const copies = new TwoCopies(named, withOthers(named, 40, falseOnes(named, 40, 1)));
    const { ids, differing } = await copies.takenIn();
    expect([ids, differing]).toEqual([idsOf(named), [40]]);
  });

  it("[SHARED-43] name no mark: the leader is asked for all of them", async () => {
    const leader = chain(60, "true").map(({ seq, id, body }) => ({ seq, id, body }) as SharedMessage);
    const copies = new TwoCopies(leader, withOthers(leader, 30, [{ ...leader[29]!, id: "false" }]));
    const { ids, differing } = await copies.takenIn();
    expect([ids, differing]).toEqual([idsOf(leader), [30]]);
  });

  it("[SHARED-43] are refused where the leader says one thing and then another", async () => {
    const [read, one, other] = ["read", "one", "other"].map((name) => chain(5, name)) as [
      SharedMessage[],
      SharedMessage[],
      SharedMessage[],
    ];
    const copies = new TwoCopies(one, read);
    const verify = (): Promise<void> => {
      copies.leader = copies.leader === one ? other : one;
      return Promise.resolve();
    };
    const reading = { log: copies.log, port: PORT, verify };
    const behind = read.slice(1);
    await expect(verifyBatch(reading, behind, "another", one[4])).rejects.toMatchObject({ code: "SHARED_UNAVAILABLE" });
  });
});
