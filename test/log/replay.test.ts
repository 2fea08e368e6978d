import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/log/canonical.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import type { Payload } from "../../src/log/types.ts";
import { buildLog, makeOp, minute, newerLine, splitLines, upon } from "../support/logs.ts";
import { told } from "../support/told.ts";

const join = (...parts: (Buffer | SealedOp | string)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : "bytes" in part ? part.bytes : part)),
  );
const hashOf = (op: SealedOp): string => op.events[0]!.hash;
const lastOf = (op: SealedOp): string => op.events.at(-1)!.hash;
const event = (type: string, payload: Payload = {}): { type: string; payload: Payload }[] => [{ type, payload }];
const codes = (bytes: Buffer): string[] => told(bytes).report.problems.map((p) => p.code);

const foreignLine = (ts: string, type = "agent.started"): string =>
  `{"ts":"${ts}","type":"${type}","taskId":"TASK-001"}\n`;

describe("a straight log", () => {
  const log = buildLog([{ events: 2 }, {}, { events: 3 }]);

  it("[LOG-11] is told in file order, each op joined to all before", () => {
    const { ops, joined, forked, report, resets } = told(log.bytes);
    expect(ops).toEqual(
      log.ops.map((op, index) => ({
        hash: hashOf(op),
        last: lastOf(op),
        events: op.events,
        index,
        offset: log.ops.slice(0, index).reduce((sum, o) => sum + o.bytes.length, 0),
      })),
    );
    expect([joined, forked, resets]).toEqual([[true, true, true], [false, false, false], 1]);
    const [first] = log.ops[0]!.events;
    expect(report).toEqual({
      offset: log.bytes.length,
      heads: [lastOf(log.ops[2]!)],
      seq: 6,
      ops: 3,
      events: 6,
      bytes: log.bytes.length,
      roots: [{ hash: first!.hash, ts: first!.ts, ops: 3 }],
      held: 0,
      missing: [],
      incomplete: 0,
      duplicates: 0,
      foreign: [],
      adoptedForeign: 0,
      unknownTypes: [],
      newer: false,
      markers: 0,
      torn: null,
      crlf: 0,
      bom: false,
      linear: true,
      problems: [],
      moreProblems: 0,
    });
  });

  it("[LOG-21] an empty log has revision 0 and no head", () => {
    expect(told(Buffer.alloc(0)).report).toMatchObject({
      ops: 0,
      heads: [],
      seq: 0,
      offset: 0,
      roots: [],
      linear: true,
    });
  });

  it("[LOG-20] stays straight past bad, foreign and blank lines, markers, and an op written twice", () => {
    const lines = [
      log.ops[0]!,
      "oops\n",
      foreignLine("2026-01-01T00:00:00Z"),
      log.ops[1]!,
      log.ops[1]!,
      "\n=======\n",
      log.ops[2]!,
    ];
    const { order, report } = told(join(...lines));
    expect(order).toEqual(log.ops.map(hashOf));
    expect(report).toMatchObject({ linear: true, duplicates: 1, markers: 1, heads: [lastOf(log.ops[2]!)] });
    expect(report.foreign).toHaveLength(1);
    expect(report.problems.map((p) => [p.code, p.line])).toEqual([
      ["LINE_NOT_JSON", 3],
      ["LINE_DUPLICATE", 6],
      ["LINE_MARKER", 8],
    ]);
    expect(report.problems[0]!.byte).toBe(log.ops[0]!.bytes.length);
  });

  it("[LOG-1] CRLF, a byte order mark and blank lines change nothing", () => {
    const text = `\uFEFF${log.bytes.toString().replaceAll("\n", "\r\n\r\n")}`;
    const { order, report } = told(Buffer.from(text));
    expect(order).toEqual(log.ops.map(hashOf));
    expect(report).toMatchObject({ bom: true, crlf: 12, problems: [], linear: true });
  });

  it("[LOG-16] conflict markers are skipped and both sides are read", () => {
    const a = makeOp(11, upon(log.ops[2]!));
    const b = makeOp(12, upon(log.ops[2]!));
    const { order, report } = told(
      join(log.bytes, "<<<<<<< HEAD\n", b, "||||||| base\n=======\n", a, ">>>>>>> theirs\n"),
    );
    expect(order).toEqual([...log.ops, a, b].map(hashOf));
    expect(report).toMatchObject({ markers: 4, heads: [lastOf(a), lastOf(b)].sort(), linear: false });
  });
});

describe("order", () => {
  const root = makeOp(0);
  const a1 = makeOp(10, upon(root));
  const b1 = makeOp(11, upon(root));
  const a2 = makeOp(12, upon(a1));
  const b2 = makeOp(13, upon(b1));
  const merge = makeOp(14, upon(a2, b2));

  it("[LOG-11] a branch is replayed in one run, the one begun earlier first", () => {
    const { order, joined, report } = told(join(b2, merge, b1, a2, root, a1));
    expect(order).toEqual([root, a1, a2, b1, b2, merge].map(hashOf));
    expect(joined).toEqual([true, true, true, false, false, true]);
    expect(report).toMatchObject({ heads: [lastOf(merge)], linear: false, ops: 6 });
  });

  it("[LOG-11] equal times are decided by hash", () => {
    const twins = [makeOp(10, { ...upon(root), opId: "x" }), makeOp(10, { ...upon(root), opId: "y" })];
    const byHash = twins.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
    expect(told(join(root, ...twins)).order).toEqual([root, ...byHash].map(hashOf));
    expect(told(join(root, ...twins.toReversed())).order).toEqual([root, ...byHash].map(hashOf));
  });

  it("[LOG-11] says that there are branches, to ops before the fork too", () => {
    expect(told(join(root, a1, b1)).forked).toEqual([true, true, true]);
    expect(told(join(a1, root)).forked).toEqual([false, false]);
  });

  it("[LOG-6] two ops with one op.id are two ops", () => {
    const again = makeOp(15, { ...upon(root), opId: "op-10" });
    expect(told(join(root, a1, again)).report).toMatchObject({ ops: 3, incomplete: 0 });
  });

  it("[LOG-6] what an op carries for its writer comes back", () => {
    const op = makeOp(1, { ...upon(root), key: "k", req: sha256("input"), txn: { id: "t", roots: [hashOf(root)] } });
    expect(told(join(root, op)).ops[1]!.events[0]!.op).toEqual({
      id: "op-1",
      key: "k",
      n: 1,
      of: 1,
      req: sha256("input"),
      tool: "tasks_note",
      txn: { id: "t", roots: [hashOf(root)] },
    });
  });
});

describe("ops", () => {
  const root = makeOp(0);
  const op = makeOp(1, { ...upon(root), events: 3 });
  const [e1, e2, e3] = splitLines(op.bytes) as [Buffer, Buffer, Buffer];
  const beside = makeOp(2, upon(root));

  it("[LOG-7] events of one op may stand apart", () => {
    const { order } = told(join(e3, root, e1, beside, e2));
    expect(order).toEqual([root, op, beside].map(hashOf));
  });

  it("[LOG-7] an op that lacks events has no effect and blocks no other op", () => {
    for (const left of [[e1], [e1, e2], [e2], [e3], [e1, e3], [e2, e3]]) {
      const { order, report } = told(join(root, ...left, beside));
      expect(order).toEqual([root, beside].map(hashOf));
      expect(report).toMatchObject({ held: 0, heads: [lastOf(beside)] });
      expect(report.incomplete).toBe(left.length === 2 && left[0] === e1 && left[1] === e3 ? 2 : 1);
      expect(report.problems.some((p) => p.code === "OP_INCOMPLETE")).toBe(true);
    }
  });

  it("[LOG-7] an op that ends with the file has no effect until its rest comes", () => {
    const whole = join(root, op);
    const half = told(join(root, e1, e2));
    expect(half.report).toMatchObject({ ops: 1, incomplete: 1, linear: true, heads: [lastOf(root)] });
    expect(half.follow(whole)).toBe(true);
    expect(half.order).toEqual([root, op].map(hashOf));
    expect(half.report).toEqual(told(whole).report);
  });

  it("[LOG-7] of two events for one place the smaller hash has it", () => {
    const other = makeOp(1, {
      ...upon(root),
      events: [
        ...op.events.slice(0, 2).map(({ type, payload }) => ({ type, payload })),
        ...event("note.added", { message: "other" }),
      ],
    });
    expect(other.events.map((e) => e.hash).slice(0, 2)).toEqual(op.events.map((e) => e.hash).slice(0, 2));
    const o3 = splitLines(other.bytes)[2]!;
    const winner = [op, other].map(lastOf).sort()[0];
    for (const lines of [
      [e1, e2, e3, o3],
      [o3, e3, e2, e1],
    ]) {
      const { ops, report } = told(join(root, ...lines));
      expect(ops[1]!.last).toBe(winner);
      expect(report.problems.map((p) => p.code)).toEqual(["OP_STRAY"]);
      expect(report.incomplete).toBe(0);
    }
  });

  it("[LOG-7] an event of another op.id does not continue an op", () => {
    const alien = makeOp(1, { ...upon(root), events: 3, opId: "other" });
    const { report } = told(join(root, e1, splitLines(alien.bytes)[1]!));
    expect(report).toMatchObject({ ops: 1, incomplete: 2 });
  });

  it("[LOG-9] an op that names an event inside another op has no effect", () => {
    const middle = makeOp(3, { heads: [op.events[1]!.hash], seq: op.events[1]!.seq });
    const { order, report } = told(join(root, op, middle));
    expect(order).toEqual([root, op].map(hashOf));
    expect(report.held).toBe(0);
    expect(report.problems.map((p) => p.code)).toEqual(["PREV_MIDDLE"]);
  });

  it("[LOG-9] an op whose seq does not follow has no effect, and what hangs on it is held", () => {
    const wrong = makeOp(3, { heads: [lastOf(root)], seq: 5 });
    const child = makeOp(4, upon(wrong));
    const { order, report } = told(join(root, wrong, child));
    expect(order).toEqual([hashOf(root)]);
    expect(report).toMatchObject({ held: 1, missing: [lastOf(wrong)] });
    expect(report.problems.map((p) => p.code)).toEqual(["SEQ_WRONG", "OP_HELD"]);
  });

  it("[LOG-9] seq is checked against the events that are there, also while another is missing", () => {
    const heads = [lastOf(op), sha256("lost")];
    const gap = makeOp(8, { ...upon(op), events: event("log.gap", { void: [sha256("lost")] }) });
    const low = makeOp(7, { heads, seq: 3 });
    const high = makeOp(7, { heads, seq: 30 });
    expect(told(join(root, op, gap, low)).report).toMatchObject({ ops: 3, held: 0 });
    expect(codes(join(root, op, gap, low))).toEqual(["SEQ_WRONG"]);
    expect(told(join(root, op, gap, high)).report).toMatchObject({ ops: 4, problems: [] });
  });

  it("[LOG-20] copies of the lines just read need no graph", () => {
    const { order, report } = told(join(root, e1, e1, e2, e1, e2, e3, e2));
    expect(order).toEqual([root, op].map(hashOf));
    expect(report).toMatchObject({ duplicates: 4, linear: true, incomplete: 0 });
  });

  it("[LOG-20] a line that stands there again is counted once", () => {
    const { order, report } = told(join(root, e1, e1, e2, e3, e2, beside, root));
    expect(order).toEqual([root, op, beside].map(hashOf));
    expect(report.duplicates).toBe(3);
  });
});

describe("missing lines", () => {
  const [a, b, c, d] = buildLog([{}, {}, {}, {}]).ops as [SealedOp, SealedOp, SealedOp, SealedOp];
  const beside = makeOp(9, upon(a));

  it("[LOG-12] an op whose parent is missing is held, with its descendants", () => {
    const { order, report } = told(join(a, c, d, beside));
    expect(order).toEqual([a, beside].map(hashOf));
    expect(report).toMatchObject({ held: 2, missing: [lastOf(b)], heads: [lastOf(beside)], ops: 2, seq: 2 });
    expect(codes(join(a, c, d, beside))).toEqual(["OP_HELD", "OP_HELD"]);
  });

  it("[LOG-12] a log without its first op holds everything", () => {
    expect(told(join(b, c)).report).toMatchObject({ ops: 0, held: 2, missing: [lastOf(a)], roots: [], heads: [] });
  });

  it("[LOG-12] what is missing is the line, also inside an op", () => {
    const op = makeOp(1, { ...upon(a), events: 3 });
    const [e1, e2, e3] = splitLines(op.bytes) as [Buffer, Buffer, Buffer];
    const child = makeOp(5, upon(op));
    for (const [left, missing] of [
      [[e1, e3], op.events[1]!.hash],
      [[e2, e3], op.events[0]!.hash],
      [[e1, e2], op.events[2]!.hash],
    ] as const) {
      expect(told(join(a, ...left, child)).report).toMatchObject({ held: 1, missing: [missing] });
    }
    expect(told(join(a, e1, e3, child, e2)).report).toMatchObject({ held: 0, missing: [], incomplete: 0, ops: 3 });
  });

  const gap = makeOp(20, { ...upon(beside), events: event("log.gap", { void: [lastOf(b)] }) });

  it("[LOG-13] a declared gap frees what waits for it, below the declaration", () => {
    const { ops, order, report, ...rest } = told(join(a, c, d, beside, gap));
    expect(order).toEqual([a, beside, gap, c, d].map(hashOf));
    expect(report).toMatchObject({ held: 0, missing: [], heads: [lastOf(d)] });
    const whole = told(join(a, c, d, beside, gap));
    expect(whole.isAncestor(2, 4)).toBe(true);
    expect([ops.length, rest.joined]).toEqual([5, [true, true, true, true, true]]);
  });

  it("[LOG-13] when the line turns up it is used and the declaration has no effect", () => {
    const { order, report } = told(join(a, c, d, beside, gap, b));
    expect(order).toEqual([a, b, c, d, beside, gap].map(hashOf));
    expect(report.heads).toEqual([lastOf(d), lastOf(gap)].sort());
  });

  it("[LOG-13] two declarations of one gap both come before what they free", () => {
    const other = makeOp(30, { ...upon(beside), events: event("log.gap", { void: [lastOf(b), "nothing", 1] }) });
    for (const lines of [
      [gap, other, c, d],
      [d, c, other, gap],
    ]) {
      expect(told(join(a, beside, ...lines)).order).toEqual([a, beside, gap, other, c, d].map(hashOf));
    }
  });

  it("[LOG-13] a declaration that hangs on what it declares lost frees nothing", () => {
    const knot = makeOp(31, { ...upon(d), events: event("log.gap", { void: [lastOf(b)] }) });
    expect(told(join(a, c, d, knot)).report).toMatchObject({ held: 3, missing: [lastOf(b)] });
  });

  it("[LOG-13] gaps below gaps are crossed one after the other", () => {
    const far = makeOp(40, { heads: [sha256("far")], seq: 7 });
    const farGap = makeOp(41, { ...upon(d), events: event("log.gap", { void: [sha256("far")] }) });
    const { order, report } = told(join(far, farGap, gap, d, c, beside, a));
    expect(order).toEqual([a, beside, gap, c, d, farGap, far].map(hashOf));
    expect(report).toMatchObject({ held: 0, heads: [lastOf(far)] });
  });
});

describe("two entities", () => {
  const mine = buildLog([{ ts: minute(1) }, {}]);
  const other = buildLog([{ ts: minute(2) }, {}, {}]);

  it("[LOG-14] the smaller (ts, hash) keeps the folder, the other has no effect", () => {
    for (const bytes of [join(mine.bytes, other.bytes), join(other.bytes, mine.bytes)]) {
      const { order, report } = told(bytes);
      expect(order).toEqual(mine.ops.map(hashOf));
      expect(report.roots).toEqual([
        { hash: hashOf(mine.ops[0]!), ts: minute(1), ops: 2 },
        { hash: hashOf(other.ops[0]!), ts: minute(2), ops: 3 },
      ]);
      expect(report).toMatchObject({ heads: [lastOf(mine.ops[1]!)], held: 0, linear: false });
      expect(report.problems.map((p) => p.code)).toEqual(["ROOT_SECOND"]);
    }
  });

  it("[LOG-13] a gap declared in an entity that does not own the folder frees nothing", () => {
    const held = makeOp(7, { heads: [sha256("lost")], seq: 3 });
    const gap = makeOp(8, { ...upon(other.ops[2]!), events: event("log.gap", { void: [sha256("lost")] }) });
    expect(told(join(mine.bytes, other.bytes, gap, held)).report).toMatchObject({ held: 1, ops: 2 });
    const own = makeOp(8, { ...upon(mine.ops[1]!), events: event("log.gap", { void: [sha256("lost")] }) });
    expect(told(join(mine.bytes, other.bytes, own, held)).report).toMatchObject({ held: 0, ops: 4 });
  });

  it("[LOG-14] an op that descends from both has no effect, and what hangs on it is held", () => {
    const mixed = makeOp(9, upon(mine.ops[1]!, other.ops[2]!));
    const child = makeOp(10, upon(mixed));
    const { order, report } = told(join(mine.bytes, other.bytes, mixed, child));
    expect(order).toEqual(mine.ops.map(hashOf));
    expect(report).toMatchObject({ held: 1, missing: [lastOf(mixed)] });
    expect(report.problems.map((p) => p.code)).toEqual(["ROOT_SECOND", "ROOT_MIXED", "OP_HELD"]);
  });
});

describe("newer logs", () => {
  const root = makeOp(0);
  const strange = makeOp(1, { ...upon(root), events: event("moon.landed") });
  const free = makeOp(2, { ...upon(strange), events: event("x.moon_landed") });
  const options = { isKnownType: (type: string) => type === "note.added" };

  it("[LOG-15] an unknown type is told and marks the log as newer; one under x. does not", () => {
    const { order, report } = told(join(root, strange, free, makeOp(3, upon(free))), options);
    expect(order).toHaveLength(4);
    expect(report).toMatchObject({ unknownTypes: ["moon.landed"], newer: true, linear: true });
    expect(report.problems).toEqual([
      expect.objectContaining({ code: "TYPE_UNKNOWN", line: 2, byte: root.bytes.length }),
    ]);
    const apart = makeOp(2, { ...upon(root), events: event("x.moon_landed") });
    expect(told(join(root, apart), options).report).toMatchObject({ unknownTypes: [], newer: false });
  });

  it("[LOG-15] a line of a newer version that cannot be placed is kept aside", () => {
    const { order, report } = told(join(root, `${newerLine()}\n`), options);
    expect(order).toEqual([hashOf(root)]);
    expect(report).toMatchObject({ newer: true, linear: true });
    expect(report.problems.map((p) => p.code)).toEqual(["VERSION_NEWER"]);
  });

  it("[LOG-15] a line that says it is newer and whose hash is wrong is damage, and the log is written on", () => {
    const changed = splitLines(makeOp(1, upon(root)).bytes)[0]!
      .toString()
      .replace('"v":1', '"v":2');
    for (const line of [changed, '{"hash":"?","v":2}\n']) {
      const { order, report } = told(join(root, line), options);
      expect(order).toEqual([hashOf(root)]);
      expect(report).toMatchObject({ newer: false, linear: true });
      expect(report.problems.map((p) => p.code)).toEqual([expect.stringMatching(/^LINE_(BAD_HASH|INVALID)$/)]);
    }
  });
});

describe("lines of other programs", () => {
  const lines = ["2026-01-03T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T05:00:00+05:00"].map((ts) =>
    foreignLine(ts),
  );
  const [late, middle, early] = lines.map((line) => sha256(line.trim())) as [string, string, string];
  const root = makeOp(0);
  const adopt = makeOp(1, {
    ...upon(root),
    events: [...event("note.added"), ...event("foreign.adopted", { hashes: [early, middle, sha256("?")] })],
  });
  const hashes = (ops: { foreign?: Map<number, { hash: string }[]> }[]): unknown[] =>
    ops.map((op) => op.foreign && [...op.foreign].map(([i, list]) => [i, list.map((l) => l.hash)]));

  it("[LOG-18] are listed by (ts, hash), each once", () => {
    const { report } = told(join(lines[0]!, root, lines[1]!, lines[2]!, lines[0]!));
    expect(report.foreign.map((l) => l.hash)).toEqual([early, middle, late]);
    expect(report).toMatchObject({ duplicates: 1, linear: true, adoptedForeign: 0 });
  });

  it("[LOG-18] are placed by foreign.adopted, wherever they stand in the file", () => {
    for (const bytes of [
      join(...lines, root, adopt),
      join(root, adopt, ...lines),
      join(adopt, lines[2]!, root, lines[1]!, lines[0]!),
    ]) {
      const { ops, report } = told(bytes);
      expect(hashes(ops)).toEqual([undefined, [[1, [early, middle]]]]);
      expect(report).toMatchObject({ adoptedForeign: 2 });
      expect(report.foreign.map((l) => l.hash)).toEqual([late]);
    }
    expect(told(join(...lines, root, adopt)).report.linear).toBe(true);
  });

  it("[LOG-18] adopted twice, the first in replay order counts", () => {
    const again = makeOp(2, { ...upon(root), events: event("foreign.adopted", { hashes: [middle, late] }) });
    const { ops } = told(join(again, adopt, root, ...lines));
    expect(hashes(ops)).toEqual([undefined, [[1, [early, middle]]], [[0, [late]]]]);
  });

  it("[LOG-18] a list that is no list adopts nothing", () => {
    const odd = makeOp(1, { ...upon(root), events: event("foreign.adopted", { hashes: "all" }) });
    expect(told(join(...lines, root, odd)).report).toMatchObject({ adoptedForeign: 0, ops: 2 });
  });
});

describe("the end of the file", () => {
  const { ops, bytes } = buildLog(3);

  it("[LOG-80] a torn last line is set aside", () => {
    const before = ops[0]!.bytes.length + ops[1]!.bytes.length;
    const { order, report } = told(bytes.subarray(0, bytes.length - 2));
    expect(order).toEqual(ops.slice(0, 2).map(hashOf));
    expect(report).toMatchObject({ torn: { offset: before, length: ops[2]!.bytes.length - 2 }, offset: before });
    expect(report.problems).toEqual([expect.objectContaining({ code: "LINE_TORN", line: 3, byte: before })]);
  });

  it("[LOG-80] a complete last line without LF is a line", () => {
    const { order, report } = told(bytes.subarray(0, bytes.length - 1));
    expect(order).toEqual(ops.map(hashOf));
    expect(report).toMatchObject({ torn: null, offset: bytes.length - 1, problems: [] });
  });
});

describe("carrying on", () => {
  const { ops, bytes } = buildLog([{}, { events: 2 }, {}]);
  const more = makeOp(7, upon(ops[2]!));
  const fork = makeOp(8, upon(ops[1]!));

  it("[LOG-23] new ops upon all heads are told without a new reading", () => {
    const log = told(bytes.subarray(0, ops[0]!.bytes.length));
    expect(log.follow(bytes)).toBe(true);
    expect(log.follow(bytes)).toBe(true);
    expect(log.order).toEqual(ops.map(hashOf));
    expect(log.resets).toBe(1);
    expect(log.report).toEqual(told(bytes).report);
  });

  it("[LOG-23] anything else asks for a new reading and tells nothing", () => {
    for (const extra of [
      join(more, fork),
      ops[0]!.bytes,
      makeOp(9).bytes,
      makeOp(9, { heads: [sha256("?")], seq: 9 }).bytes,
    ]) {
      const log = told(bytes);
      expect(log.follow(join(bytes, extra))).toBe(false);
      expect(log.order).toEqual(ops.map(hashOf));
      expect(log.follow(join(bytes, extra))).toBe(false);
      log.load(join(bytes, extra));
      expect(log.report).toEqual(told(join(bytes, extra)).report);
      expect(log.follow(join(bytes, extra))).toBe(true);
    }
  });

  it("[LOG-23] after a reading that failed on the way, only a new one will do", () => {
    const log = told(bytes);
    const failing = (): never => {
      throw new Error("EIO");
    };
    expect(() => log.replay.follow({ size: () => bytes.length + 10, read: failing })).toThrow("EIO");
    expect(log.follow(join(bytes, more))).toBe(false);
    expect(() => log.replay.load({ size: () => 10, read: failing })).toThrow("EIO");
    expect(log.follow(join(bytes, more))).toBe(false);
    expect(log.load(join(bytes, more)).report).toEqual(told(join(bytes, more)).report);
  });

  it("[LOG-23] a log that became shorter asks for a new reading", () => {
    expect(told(bytes).follow(bytes.subarray(0, 10))).toBe(false);
  });

  it("[LOG-23] after a fork, an op that names both heads is joined to all", () => {
    const forked = join(bytes, fork);
    const merge = makeOp(9, upon(ops[2]!, fork));
    const log = told(forked);
    expect(log.follow(join(forked, merge))).toBe(true);
    expect(log.ops.at(-1)).toMatchObject({ hash: hashOf(merge), index: 4 });
    expect([log.joined.at(-1), log.forked.at(-1), log.isAncestor(2, 3), log.isAncestor(3, 4)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(log.report).toEqual(told(join(forked, merge)).report);
  });

  it("[LOG-23] a line that others miss asks for a new reading, though it names all heads", () => {
    const child = makeOp(10, upon(more));
    const held = join(bytes, child);
    const log = told(held);
    expect(log.report.held).toBe(1);
    expect(log.follow(join(held, more))).toBe(false);
    const gap = makeOp(11, { ...upon(ops[2]!), events: event("log.gap", { void: [lastOf(more)] }) });
    expect(told(held).follow(join(held, gap))).toBe(false);
    expect(told(held).follow(join(held, fork))).toBe(false);
    expect(told(held).follow(join(held, makeOp(12, upon(ops[2]!))))).toBe(true);
  });

  it("[LOG-80] what comes behind an unended last line may make it another line: it is read anew", () => {
    const unended = bytes.subarray(0, bytes.length - 1);
    const log = told(unended);
    expect(log.follow(unended)).toBe(true);
    expect(log.follow(join(unended, "\n", more))).toBe(false);
    expect(told(join(unended, more)).order).toEqual(ops.slice(0, 2).map(hashOf));
  });

  it("[LOG-23] a torn tail is read again when it has grown", () => {
    const log = told(bytes.subarray(0, bytes.length - 9));
    expect(log.follow(bytes.subarray(0, bytes.length - 8))).toBe(true);
    expect(log.report.torn).not.toBeNull();
    expect(log.follow(join(bytes, more))).toBe(true);
    expect(log.report).toEqual(told(join(bytes, more)).report);
  });

  it("[LOG-7] the first line of an op that was cut off, written again, asks for a new reading", () => {
    const start = splitLines(makeOp(20, { ...upon(ops[2]!), events: 3 }).bytes)[0]!;
    const other = splitLines(makeOp(21, { ...upon(ops[2]!), events: 2 }).bytes)[0]!;
    for (const begun of [join(bytes, start, other), join(bytes, fork, start)]) {
      expect(told(begun).follow(join(begun, start))).toBe(false);
    }
    expect(told(join(bytes, start, other, start)).report).toMatchObject({ incomplete: 2, duplicates: 1 });
  });

  it("[LOG-23] what the writer itself appended need not be read", () => {
    const half = bytes.subarray(0, bytes.length - 5);
    for (const [start, text] of [
      [bytes, ""],
      [bytes.subarray(0, bytes.length - 1), "\n"],
      [join(bytes, '{"torn'), "\n"],
      [join(bytes, fork), null],
      [
        join(
          foreignLine("2026-01-01T00:00:00Z"),
          bytes,
          splitLines(makeOp(5, { ...upon(ops[2]!), events: 2 }).bytes)[0]!,
        ),
        "",
      ],
      [half, "\n"],
    ] as const) {
      const log = told(start);
      const { heads, seq } = log.report;
      const hashes = log.report.foreign.map((l) => l.hash);
      const op = makeOp(50, { heads, seq, events: [...event("note.added"), ...event("foreign.adopted", { hashes })] });
      const written = join(text ?? "", op);
      const accepted = log.replay.accept(op.events, written.length);
      const whole = told(join(start, written));
      expect(accepted).toEqual(whole.ops.at(-1));
      expect({ ...log.report, linear: true }).toEqual({ ...whole.report, linear: true });
      const next = makeOp(51, upon(op));
      expect(log.follow(join(start, written, next))).toBe(true);
      expect(log.ops.at(-1)).toEqual(told(join(start, written, next)).ops.at(-1));
    }
  });

  it("[LOG-23] an op that does not name all heads is not accepted", () => {
    const log = told(bytes);
    expect(() => log.replay.accept(fork.events, fork.bytes.length)).toThrow(/expected one op upon the heads/);
    expect(() => told(bytes).replay.accept([], 0)).toThrow(/expected one op/);
    expect(() => told(bytes).replay.accept([...more.events, ...makeOp(60, upon(more)).events], 1)).toThrow(
      /expected one op/,
    );
  });
});

describe("readOps", () => {
  it("[LOG-23] gives all ops and the report", () => {
    const { ops, bytes } = buildLog(4);
    const fork = makeOp(9, upon(ops[1]!));
    const read = readOps(bytesSource(join(bytes, fork)));
    expect(read.ops.map((op) => op.hash)).toEqual(told(join(bytes, fork)).order);
    expect(read.report).toEqual(told(join(bytes, fork)).report);
  });

  it("[LOG-20] details of problems are bounded, their number is not", () => {
    const { report } = told(Buffer.from("x\n".repeat(1500)));
    expect([report.problems.length, report.moreProblems]).toEqual([1000, 500]);
  });
});
