// @ts-check
/**
 * Faults that the engine once had, or could have: put back one at a time, the simulator has to find each.
 *
 * One is left out: a process that finishes a transaction does not look again at the parts that it has put. Each append and each new log is read back
 * at once. So a part goes only if another process moves a new folder aside and dies then, while the next part is put.
 * Plans do not reach that moment of a few calls. A test of TXN-4 makes it by hand.
 */

/** @typedef {import("./plan.mjs").Plan} Plan */
/**
 * `rule`: the one that it breaks. `says`: how the violation goes on after the rule, where two checks have one rule. `ignores`: calls that the disk takes for done and does not do. `plan`: what the plan has besides. `kind`, `locks`: of the plans. `quick`: few runs find it. `kept`: the plan of `seeds` that once failed
 * by it, which alone is run.
 * @typedef {{ name: string, rule: string, says?: string, kept?: string, kind?: "shared" | "git" | "packet", locks?: Plan["locks"], quick?: boolean, patches?: { find: string, put: string }[], ignores?: string[], plan?: (plan: Plan) => Plan }} OldFault
 */

/** The rest of a transaction is in no log yet, and no file has it any more. */
const DROPPED_EARLY = [
  {
    find: "if (txn !== null) journal.write(txn, writes.map(journalPart));",
    put: "if (txn !== null) {\n\t\t\t\tjournal.write(txn, writes.map(journalPart));\n\t\t\t\tjournal.done(txn);\n\t\t\t}",
  },
];

/** @type {readonly OldFault[]} */
export const OLD_FAULTS = [
  { name: "no sync of the folder", rule: "DUR-1", ignores: ["syncFolder"] },
  {
    name: "no sync of the log",
    rule: "DUR-1",
    ignores: ["fdatasync", "fdatasyncSync", "fsync"],
  },
  {
    name: "no sync of the log, judged between two calls",
    rule: "DUR-1",
    says: "midway no log has event ",
    ignores: ["fdatasync", "fdatasyncSync", "fsync"],
  },
  {
    name: "lock released before the append",
    rule: "DUR-20",
    patches: [
      {
        find: "\t\ttry {\n\t\t\treturn underLock(parts, parts.logs, loaded, jobs);",
        put: "\t\ttry {\n\t\t\tlock.release();\n\t\t\treturn underLock(parts, parts.logs, loaded, jobs);",
      },
    ],
  },
  {
    name: "prev not compared",
    rule: "DUR-20",
    patches: [
      {
        find: "if (!loaded.catchUp()) parts.entities.gone(",
        put: "if (!loaded.entity && !loaded.catchUp()) parts.entities.gone(",
      },
    ],
  },
  {
    name: "a lock waited for without an end",
    rule: "DUR-22",
    patches: [{ find: "if (waited >= timeoutMs) throw timeout(", put: "if (waited === Infinity) throw timeout(" }],
  },
  {
    name: "fence not raised",
    rule: "LEASE-2",
    patches: [
      {
        find: "const fence = renews ? own.fence : entity.revision + 1;",
        put: "const fence = (step ?? entity).lease?.fence ?? entity.revision + 1;",
      },
    ],
  },
  {
    name: "a step that another agent holds is given",
    rule: "LEASE-1",
    quick: true,
    patches: [
      {
        find: "if (!(held.lease.by === asking.by && (held.on !== step || renews))) throw isHeld$1(",
        put: "if (false) throw isHeld$1(",
      },
    ],
  },
  {
    name: "journal entry dropped early",
    rule: "VERIFY-9",
    patches: DROPPED_EARLY,
  },
  {
    name: "journal entry dropped early, judged between two calls",
    rule: "TXN-3",
    quick: true,
    patches: DROPPED_EARLY,
  },
  {
    name: "torn ends of even length stay",
    rule: "DUR-29",
    patches: [
      {
        find: "if (!torn || torn.length > MAX_TORN || !this.#isAlone()) return true;",
        put: "if (!torn || torn.length % 2 === 0 || torn.length > MAX_TORN || !this.#isAlone()) return true;",
      },
    ],
  },
  {
    name: "readers notified before the append",
    rule: "FRESH-1",
    patches: [
      {
        find: "\t\tconst offset = appendTo(log, bytes, this.#isAlone());\n\t\tif (offset !== null && notifies) this.#context.notifications.notify(folder);",
        put: "\t\tthis.#context.notifications.notify(folder);\n\t\tconst offset = appendTo(log, bytes, this.#isAlone());",
      },
      // The mark comes after the append, and would tell readers once more.
      {
        find: 'if (this.#context.durability === "fsync") this.#context.notifications.notify(loaded.folder, mark);',
        put: "",
      },
      { find: "if (isDurable) this.#context.notifications.notify(loaded.folder, mark);", put: "" },
    ],
  },
  {
    name: "a file that failed counts as written",
    rule: "DUR-11",
    patches: [
      {
        find: 'dirty.projected(loaded.id, !warnings.some((w) => w.code === "PROJECTION_FAILED"));',
        put: "dirty.projected(loaded.id, true);",
      },
    ],
  },
  {
    name: "a sound log put in order",
    rule: "DUR-93",
    quick: true,
    patches: [
      {
        find: "const owned = (entity) => joinLines$1(linesOf.get(entity));",
        put: "const owned = (entity) => joinLines$1(linesOf.get(entity).toReversed());",
      },
      // Lines are put in order once more, by what they build on.
      {
        find: "const bytes = inReplayOrder(gap ? Buffer.concat([repaired.bytes, gap.bytes]) : repaired.bytes);",
        put: "const bytes = repaired.bytes;",
      },
    ],
  },
  {
    name: "stream expectation on the subject",
    rule: "SHARED-1",
    kind: "shared",
    quick: true,
    plan: (plan) => ({ ...plan, ...(plan.stream ? { stream: { ...plan.stream, expects: "subject" } } : {}) }),
  },
  {
    name: "changes that the shared log lacks not sent later",
    rule: "SHARED-20",
    kind: "shared",
    quick: true,
    patches: [{ find: "return partsOf(id, root, opsBeyond(ops, heads), heads.length === 0);", put: "return [];" }],
  },
  {
    name: "the leader is not asked",
    rule: "SHARED-43",
    kind: "shared",
    patches: [
      {
        find: "const found = await verifyBatch(reading, run, before, last);",
        put: "const found = await verifyBatch(reading, run, before);",
      },
    ],
  },
  {
    name: "git run without its hold",
    rule: "DUR-1",
    kind: "git",
    plan: (plan) => ({
      ...plan,
      jobs: plan.jobs.map((job) => (job.tool === "git" ? { ...job, input: { ...job.input, isHeld: false } } : job)),
    }),
  },
  {
    name: "servants of a killed dispatcher forgotten",
    rule: "PACKET-144",
    kind: "packet",
    patches: [{ find: "await new KeptGroup(this.#access).end();", put: "" }],
  },
  {
    name: "the fourth paid call not counted",
    rule: "PACKET-144",
    kind: "packet",
    quick: true,
    patches: [
      {
        find: "paid_calls_used: packet.paid_calls_used + (p.paid ? 1 : 0)",
        put: "paid_calls_used: packet.paid_calls_used + (p.paid && packet.paid_calls_used < 3 ? 1 : 0)",
      },
    ],
  },
  {
    name: "outputs of a killed dispatcher not synced",
    rule: "DUR-29",
    kind: "packet",
    quick: true,
    patches: [{ find: "if (sync) syncBytes(disk, path);", put: "" }],
  },
  {
    name: "kept key forgotten at restart",
    rule: "ENG-2",
    quick: true,
    patches: [
      {
        find: "if (key !== void 0 && req !== void 0 && !this.#keys.has(key)) this.#keys.set(key, {",
        put: "if (false) this.#keys.set(key, {",
      },
    ],
  },
  {
    name: "a repeated call marks nothing",
    rule: "DUR-1",
    kept: "a_repeated_call_that_marks_nothing",
    patches: [{ find: "\tnotifications.notify(loaded.folder, markBeside(loaded));\n", put: "" }],
  },
  {
    name: "a write beside a transaction without its lines",
    rule: "DUR-20",
    kept: "a_write_beside_a_transaction_whose_locks_are_held",
    patches: [
      { find: "for (const left of this.#parts.journal.left()) putOwnParts(this.#parts, left, names);", put: "" },
    ],
  },
  {
    name: "lines that nothing keeps read from a log that was forgotten",
    rule: "ERR-1",
    kept: "create_again_while_nothing_is_kept",
    patches: [
      { find: "const bytes = doubtful?.();\n", put: "" },
      {
        find: "if (!this.#keepWaiting(loaded, doubt)) throw this.#keep(loaded, bytes, doubt);",
        put: "if (!this.#keepWaiting(loaded, doubt)) throw this.#keep(loaded, doubtful?.(), doubt);",
      },
    ],
  },
  {
    name: "the mark of a task cut short",
    rule: "DUR-29",
    kept: "mark_of_a_task_cut_short",
    patches: [
      {
        find: "writeAll(disk, this.#fd, Buffer.from(`\\n${id}\\n`));",
        put: "disk.write(this.#fd, Buffer.from(`${id}\\n`));",
      },
    ],
  },
  {
    name: "a message taken in as lines that were lost",
    rule: "SHARED-1",
    kept: "two_machines_that_make_one_id",
    patches: [
      {
        find: "sides: [{\n\t\t\tbytes: Buffer.concat(part.ops.map((op) => op.bytes)),\n\t\t\tisBase: false\n\t\t}],\n\t\tlost: void 0,",
        put: "sides: [],\n\t\tlost: { bytes: Buffer.concat(part.ops.map((op) => op.bytes)), found: [] },",
      },
    ],
  },
  {
    name: "bytes in doubt written again in no line of their own",
    rule: "DUR-1",
    kept: "zeros_before_what_was_written_again",
    patches: [
      {
        find: ", ...kept.map(({ bytes }) => bytes)])) return;",
        put: ", ...kept.map(({ bytes }) => bytes)].slice(1))) return;",
      },
    ],
  },
  {
    name: "files of a call in doubt forgotten",
    rule: "DUR-29",
    kept: "files_behind_a_change_in_doubt",
    patches: [{ find: "for (const { loaded } of writes) this.#parts.dirty.projected(loaded.id, false);", put: "" }],
  },
];
