// @ts-check
/** Faults that the engine once had, or could have: put back one at a time, the simulator has to find each. */

/** @typedef {import("./plan.mjs").Plan} Plan */
/**
 * `ignores`: calls that the disk takes for done and does not do. `plan`: what the plan has besides. `kind`: of the plans. `quick`: few runs find it.
 * @typedef {{ name: string, kind?: "shared" | "git" | "packet", quick?: boolean, patches?: { find: string, put: string }[], ignores?: string[], plan?: (plan: Plan) => Plan }} OldFault
 */

/** @type {readonly OldFault[]} */
export const OLD_FAULTS = [
  { name: "no sync of the folder", ignores: ["syncFolder"] },
  {
    name: "no sync of the log",
    quick: true,
    ignores: ["fdatasync", "fdatasyncSync", "fsync"],
  },
  {
    name: "lock released before the append",
    patches: [
      {
        find: "\t\ttry {\n\t\t\treturn underLock(parts, parts.logs, loaded, jobs);",
        put: "\t\ttry {\n\t\t\tlock.release();\n\t\t\treturn underLock(parts, parts.logs, loaded, jobs);",
      },
    ],
  },
  {
    name: "prev not compared",
    patches: [
      {
        find: "logs.syncs.repair(loaded);\n\t\tif (!loaded.catchUp())",
        put: "logs.syncs.repair(loaded);\n\t\tif (!loaded.entity && !loaded.catchUp())",
      },
    ],
  },
  {
    name: "fence not raised",
    patches: [
      {
        find: "const fence = renews ? own.fence : entity.revision + 1;",
        put: "const fence = own?.fence ?? entity.revision + 1;",
      },
    ],
  },
  {
    name: "journal entry dropped early",
    patches: [
      {
        find: "if (txn !== null) journal.write(txn, writes.map(journalPart));",
        put: "if (txn !== null) {\n\t\t\t\tjournal.write(txn, writes.map(journalPart));\n\t\t\t\tjournal.done(txn);\n\t\t\t}",
      },
    ],
  },
  {
    name: "readers notified before the append",
    patches: [
      {
        find: "\t\tconst offset = appendTo(log, bytes);\n\t\tif (offset !== null && notifies) this.#context.notifications.notify(folder);",
        put: "\t\tthis.#context.notifications.notify(folder);\n\t\tconst offset = appendTo(log, bytes);",
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
    name: "stream expectation on the subject",
    kind: "shared",
    quick: true,
    plan: (plan) => ({ ...plan, ...(plan.stream ? { stream: { ...plan.stream, expects: "subject" } } : {}) }),
  },
  {
    name: "git run without its hold",
    kind: "git",
    plan: (plan) => ({
      ...plan,
      jobs: plan.jobs.map((job) => (job.tool === "git" ? { ...job, input: { ...job.input, isHeld: false } } : job)),
    }),
  },
  {
    name: "servants of a killed dispatcher forgotten",
    kind: "packet",
    patches: [{ find: "await new KeptGroup(this.#access).end();", put: "" }],
  },
  {
    name: "outputs of a killed dispatcher not synced",
    kind: "packet",
    quick: true,
    patches: [{ find: "if (sync) syncBytes(disk, path);", put: "" }],
  },
  {
    name: "kept key forgotten at restart",
    quick: true,
    patches: [
      {
        find: "if (key !== void 0 && req !== void 0 && !this.#keys.has(key)) this.#keys.set(key, {",
        put: "if (false) this.#keys.set(key, {",
      },
    ],
  },
];
