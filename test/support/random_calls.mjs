// @ts-check
// Random tool calls on random entities, the same for the same numbers: some succeed, some are rightly refused. Texts are
// those that formats trip over. Used by the git test and by the laws.

/**
 * @typedef {{below(limit: number): number, chance(probability: number): boolean}} Random
 * @typedef {{tool: string, input: Record<string, unknown>}} RandomCall
 * @typedef {{success: boolean, result: Record<string, unknown> | null}} Answer
 */

/** Random numbers from a seed (mulberry32). @param {number} seed @returns {Random} */
export function randomFrom(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { below: (limit) => Math.floor(next() * limit), chance: (probability) => next() < probability };
}

const TEXTS = [
  "plain words",
  "ünïcödé 🚀 漢字",
  "yes: no # comment",
  "<<<<<<< HEAD",
  "=======",
  ">>>>>>> branch",
  "# heading\n- item\n```\ncode\n```",
  "a | b\n--|--\r\n1 | 2",
  '"quoted" \\ and \u0085 \u2028 \u202E turned',
  '{"v":1,"hash":"x"}',
  "null",
  "0o17",
  "…".repeat(300),
];

/** Chooses calls, and remembers which entities and steps the answers told of. */
export class RandomCalls {
  /** @type {Map<string, {kind: "plan" | "task", steps: string[]}>} */
  entities = new Map();
  /** @type {string} */
  workspace;
  /** Chance of deleting a whole entity, per call. */
  deletions;

  /** @param {{workspace?: string, deletions?: number}} [options] */
  constructor({ workspace = "acme/repo", deletions = 0.01 } = {}) {
    this.workspace = workspace;
    this.deletions = deletions;
  }

  /** @param {Random} random @returns {RandomCall} */
  next(random) {
    const ids = [...this.entities.keys()];
    if (ids.length === 0 || random.chance(0.04)) return this.#creation(random);
    const id = pick(random, ids);
    const known = this.entities.get(id);
    const target = { workspace: this.workspace, target: id };
    if (random.chance(this.deletions)) return { tool: "tasks_delete", input: target };
    if (known?.kind !== "task" || random.chance(0.2)) return ofEntity(random, target);
    return ofStep(random, target, known.steps);
  }

  /** Takes note of what a call made. @param {RandomCall} call @param {Answer} answer */
  heard({ tool, input }, { success, result }) {
    if (!success || !result) return;
    if (tool === "tasks_create")
      this.entities.set(idOf(result), {
        kind: input["parent"] || input["kind"] === "task" ? "task" : "plan",
        steps: stepsOf(result),
      });
    else if (tool === "tasks_decompose") this.entities.get(String(input["target"]))?.steps.push(...stepsOf(result));
    else if (tool === "tasks_delete" && input["step_id"] === undefined)
      for (const id of [input["target"], .../** @type {unknown[]} */ (result["deleted_tasks"] ?? [])])
        this.entities.delete(String(id));
  }

  /** @param {Random} random @returns {RandomCall} */
  #creation(random) {
    const plans = [...this.entities].filter(([, { kind }]) => kind === "plan").map(([id]) => id);
    const title = titleOf(random);
    if (plans.length === 0 || random.chance(0.15))
      return { tool: "tasks_create", input: { workspace: this.workspace, title } };
    const steps = Array.from({ length: random.below(4) }, () => stepOf(random));
    return {
      tool: "tasks_create",
      input: { workspace: this.workspace, parent: pick(random, plans), title, description: textOf(random), steps },
    };
  }
}

/** A section by its names; two of them differ in case alone. @param {Random} random */
function sectionOf(random) {
  return pick(random, [
    { selector: "goals" },
    { selector: "progress" },
    { category: "bearinmind", selector: "risks" },
    { category: "ux", selector: "list" },
    { category: "UX", selector: "list" },
  ]);
}

/** @param {Random} random */
function newText(random) {
  return random.chance(0.1) ? { clear: true } : { content: textOf(random) };
}

/** @param {Random} random @param {Record<string, unknown>} target @returns {RandomCall} */
function ofEntity(random, target) {
  switch (random.below(16)) {
    case 0:
      return { tool: "tasks_edit", input: { ...target, title: titleOf(random) } };
    case 1:
      return {
        tool: "tasks_edit",
        input: { ...target, description: textOf(random), tags: [textOf(random)], priority: "HIGH" },
      };
    case 2:
      return {
        tool: "tasks_complete",
        input: {
          ...target,
          status: pick(random, ["DONE", "ACTIVE", "TODO", "FAILED", "CANCELED"]),
          reason: textOf(random),
        },
      };
    case 3:
      return { tool: "tasks_decompose", input: { ...target, steps: [stepOf(random)] } };
    case 4:
      return {
        tool: "tasks_evidence_capture",
        input: {
          ...target,
          items: [{ kind: "run", command: "npm test", exit_code: random.below(2), stdout: textOf(random) }],
          checks: ["LINK: https://ci.example/1"],
        },
      };
    case 5:
      return { tool: "tasks_undo", input: target };
    case 6:
      return { tool: "tasks_redo", input: target };
    case 7:
      return { tool: "change_mind", input: { ...target, ...sectionOf(random), ...newText(random) } };
    case 8:
      return { tool: "tasks_think", input: { ...target, ...thoughtOf(random) } };
    case 9:
      return random.chance(0.3)
        ? { tool: "tasks_report", input: { ...target, summary: textOf(random) } }
        : { tool: "tasks_note", input: { ...target, note: textOf(random) } };
    case 10:
      return {
        tool: "tasks_patch",
        input: { ...target, ops: [{ op: "append", field: "tags", value: textOf(random) }, patchOf(random)] },
      };
    case 11:
      return {
        tool: "tasks_plan",
        input: { ...target, ...(random.chance(0.5) ? { advance: true } : { steps: [textOf(random), textOf(random)] }) },
      };
    case 12:
      return { tool: "tasks_contract", input: { ...target, current: textOf(random) } };
    case 13:
      return {
        tool: "tasks_close_task",
        input: { ...target, apply: random.chance(0.7), patches: [{ ops: [patchOf(random)] }] },
      };
    case 14:
      return random.chance(0.5)
        ? { tool: "tasks_claim_next", input: { ...target, ttl_s: 5 } }
        : { tool: "tasks_release", input: { ...target, force: true, reason: textOf(random) } };
    default:
      return { tool: "tasks_note", input: { ...target, note: textOf(random) } };
  }
}

/** @param {Random} random */
function thoughtOf(random) {
  const stages = ["frame", "hypothesis", "test", "evidence", "decision"].filter(() => random.chance(0.4));
  return {
    ...Object.fromEntries(stages.map((stage) => [stage, { title: titleOf(random), text: textOf(random) }])),
    ...(stages.length === 0 || random.chance(0.3) ? { trace: textOf(random) } : {}),
    note_decision: random.chance(0.5),
  };
}

/** @param {Random} random @param {Record<string, unknown>} entity @param {string[]} steps @returns {RandomCall} */
function ofStep(random, entity, steps) {
  const which =
    steps.length > 0 && random.chance(0.7) ? { step_id: pick(random, steps) } : { path: `s:${random.below(3)}` };
  const target = { ...entity, ...which };
  switch (random.below(15)) {
    case 0:
      return {
        tool: "tasks_verify",
        input: { ...target, checkpoints: pick(random, ["gate", "all", { tests: false }, { criteria: true }]) },
      };
    case 1:
    case 2:
      return { tool: "tasks_close_step", input: { ...target, checkpoints: "gate" } };
    case 3:
      return { tool: "tasks_done", input: target };
    case 4:
      return {
        tool: "tasks_progress",
        input: { ...target, completed: random.chance(0.5), ...(random.chance(0.5) ? { reason: textOf(random) } : {}) },
      };
    case 5:
      return { tool: "tasks_block", input: { ...target, blocked: random.chance(0.6), reason: textOf(random) } };
    case 6:
      return { tool: "tasks_define", input: { ...target, title: titleOf(random), tests: [textOf(random)] } };
    case 7:
      return {
        tool: "tasks_decompose",
        input: { ...entity, parent: which.step_id ?? which.path, steps: [stepOf(random)] },
      };
    case 8:
      return {
        tool: "tasks_evidence_capture",
        input: { ...target, checks: ["CMD: npm test"], checkpoint: pick(random, ["tests", "docs"]) },
      };
    case 10:
      return { tool: "tasks_claim", input: { ...target, ttl_s: 5 } };
    case 11:
      return { tool: "tasks_release", input: target };
    case 12:
      return {
        tool: "tasks_task_add",
        input: { ...entity, parent_step: which.step_id ?? which.path, title: titleOf(random), risks: [textOf(random)] },
      };
    case 13: {
      const node = { ...entity, path: `${which.path ?? "s:0"}.t:${random.below(3)}` };
      return random.chance(0.2)
        ? { tool: "tasks_task_delete", input: node }
        : { tool: "tasks_patch", input: { ...node, ops: [patchOf(random)] } };
    }
    case 9:
      return random.chance(0.3)
        ? { tool: "tasks_delete", input: target }
        : { tool: "tasks_note", input: { ...target, note: textOf(random) } };
    default:
      return { tool: "tasks_note", input: { ...target, note: textOf(random) } };
  }
}

/** @param {Random} random */
function patchOf(random) {
  return { op: "set", field: pick(random, ["title", "priority"]), value: titleOf(random) };
}

/** @param {Random} random */
function stepOf(random) {
  return { title: titleOf(random), success_criteria: ["it works"], tests: random.chance(0.5) ? ["npm test"] : [] };
}

/** @param {Random} random */
function textOf(random) {
  return `${pick(random, TEXTS)} ${random.below(1000)}`;
}

/** @param {Random} random */
function titleOf(random) {
  return textOf(random).replaceAll(/\s+/g, " ").slice(0, 80).trim();
}

/** @template T @param {Random} random @param {readonly T[]} items @returns {T} */
function pick(random, items) {
  return /** @type {T} */ (items[random.below(items.length)]);
}

/** @param {Record<string, unknown>} result */
function idOf(result) {
  return String(result["qualified_id"]).split(":").at(-1) ?? "";
}

/** @param {Record<string, unknown>} result @returns {string[]} */
function stepsOf(result) {
  const steps = result["steps"];
  return Array.isArray(steps) ? steps.map((/** @type {{step_id: string}} */ s) => s.step_id) : [];
}
