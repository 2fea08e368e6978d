// @ts-check
// The published types, made of the schemas: interfaces that a compiler reads at once, each field with a doc comment.
import { FIELD_DOCS } from "./field_docs.mjs";

/**
 * @typedef {Record<string, unknown>} Schema
 * @typedef {{ name: string, doc: string, input: object, output: object }} ToolEntry
 * @typedef {{ type: string, printed: string, doc: string, payload: object }} EventEntry
 * @typedef {{ parent: string, name: string, item?: boolean, cut?: Schema | undefined }} Place where a schema stands: the field that holds it, perhaps in a list, and its holder; `cut` stands there in the cut answer
 */

export const TYPES_FOLDERS = ["src/events/generated", "src/tools/generated"];
const HEADER = "/** Generated from the schemas by `npm run generate`; do not edit. */";
/** The members of every event beside its payload. */
const EVENT_HEAD = {
  event_id: { type: "string" },
  type: { type: "string" },
  ts: { type: "string" },
  task: { type: "string", description: "Id of the plan or task in whose log it stands." },
  by: { type: "string" },
};

/** Beside its keys, in answers to readers (TOOL-8). */
const PAYLOAD = {
  type: "object",
  additionalProperties: true,
  description: "Its payload once more, in answers to readers; short room leaves it out.",
};

/** Fields that many objects have in the same words. They stand once, in an interface that those objects extend. @type {[name: string, doc: string, fields: string[]][]} */
const BASES = [
  ["EventHead", "Fields of every event.", ["event_id", "ts", "task", "by", "message", "payload"]],
  ["ExpectedInput", "Expectations of a change.", ["expected_revision", "expected_head", "idempotency_key"]],
  ["SelectedInput", "The plan or task that a call is about.", ["workspace", "task", "plan", "target"]],
  ["SelectedStepInput", "The step that a call is about.", ["step_id", "path"]],
  ["ChangedResult", "The answer of a change of one plan or task.", ["revision", "head", "target_from"]],
];

/** Names of objects that several tools or events share; all others are named after the place where they stand first. */
const SHARED_NAMES = /** @type {Record<string, string>} */ ({
  "input.target": "TargetInput",
  "TasksBootstrapInput.steps": "TestedStepInput",
  "input.steps": "StepInput",
  "steps.proof": "ProofModes",
  "input.think": "ThinkInput",
  "think.frame": "CardInput",
  "input.frame": "CardInput",
  "think.status": "CardStatuses",
  "input.status": "CardStatuses",
  "input.checkpoints": "CheckpointsInput",
  "checkpoints.criteria": "Confirmation",
  "input.patches": "PatchInput",
  "patches.ops": "PatchOperation",
  "input.items": "EvidenceInput",
  "result.budget": "BudgetReport",
  "result.step": "StepState",
  "TasksBootstrapResult.steps": "StepReference",
  "result.steps": "StepCounts",
  "evidence.proves": "ProvenCheckpoints",
  "steps.first_open": "FirstOpenStep",
  "result.think_pipeline": "ThinkPipeline",
  "think_pipeline.docs": "ReasoningDocuments",
  "result.lease": "Lease",
  "result.plans_pagination": "Pagination",
  "result.target": "TargetState",
  "result.radar": "Radar",
  "result.delta": "Timeline",
  "delta.events": "ShortEvent",
  "result.tasks": "TaskRow",
  "result.plans": "PlanRow",
  "task_nodes.entries": "TaskNodeState",
  "notes.pagination": "BackwardPagination",
  "result.reasoning_ref": "ReasoningReference",
  "result.capsule": "Capsule",
  "result.signals": "Signals",
  "result.memory": "Memory",
  "result.task_node": "TaskNodeReference",
  "result.next": "PacketNext",
  "result.resume": "SuperResume",
  "plan.checklist": "Checklist",
});

/**
 * Both generated files: path from the root to text.
 * `wholeOutput`: the schema of an answer from which no budget took anything; undefined where none can.
 * @param {{ tools: Readonly<Record<string, ToolEntry>>, events: Readonly<Record<string, EventEntry>>, wholeOutput: (output: never) => object | undefined }} registries
 * @returns {Map<string, string>}
 */
export function generatedTypes(registries) {
  const tools = sorted(registries.tools, (tool) => tool.name);
  const events = sorted(registries.events, (event) => event.type);
  const eventTypes = new Types();
  const union = events.map((event) => eventTypes.event(event));
  const toolTypes = new Types();
  for (const tool of tools) {
    toolTypes.reserve(`${pascal(tool.name)}Input`, tool.input);
    toolTypes.reserve(`${pascal(tool.name)}Result`, tool.output);
  }
  /** @type {Set<string>} */
  const whole = new Set();
  for (const tool of tools) {
    toolTypes.top(`${pascal(tool.name)}Input`, `Input of \`${tool.name}\`. ${firstLine(tool.doc)}`, tool.input);
    toolTypes.top(`${pascal(tool.name)}Result`, `Answer of \`${tool.name}\` when it succeeds.`, tool.output);
  }
  for (const { name, output } of tools) {
    const schema = registries.wholeOutput(/** @type {never} */ (output));
    if (schema === undefined) continue;
    whole.add(name);
    toolTypes.whole(`${pascal(name)}Whole`, `Answer of \`${name}\` to a call without \`max_chars\`.`, schema, output);
  }
  const missing = [...eventTypes.missing, ...toolTypes.missing];
  if (missing.length > 0)
    throw new Error(`Expected a description, or a line in scripts/field_docs.mjs, for: ${missing.join(", ")}`);
  const of = (/** @type {string} */ suffix) =>
    tools
      .map(({ name, doc }) => `  /** ${comment(firstLine(doc))} */\n  ${name}: ${pascal(name)}${suffix};`)
      .join("\n");
  const wholes = [...whole].map((name) => `  ${name}: ${pascal(name)}Whole;`).join("\n");
  return new Map([
    [
      "src/events/generated/event_types.ts",
      file(eventTypes, [
        `/** An event as \`watch()\` and tools give it: its payload's fields stand beside those of every event. */`,
        `export type TaskfoldEvent =\n${union.map((name) => `  | ${name}`).join("\n")};`,
      ]),
    ],
    [
      "src/tools/generated/tool_types.ts",
      file(
        toolTypes,
        [
          `/** The input of each tool. */\nexport interface ToolInputs {\n${of("Input")}\n}`,
          `/** What each tool answers when it succeeds. */\nexport interface ToolResults {\n${of("Result")}\n}`,
          `/** The same for calls without \`max_chars\`: nothing is left out. */\nexport interface WholeResults extends ToolResults {\n${wholes}\n}`,
          "export type ToolName = keyof ToolInputs;",
          '/** What a caller writes for a tool: `ToolInput<"tasks_note">`. */\nexport type ToolInput<N extends ToolName> = ToolInputs[N];',
          '/** What a tool answers when it succeeds: `ToolOutput<"tasks_note">`. */\nexport type ToolOutput<N extends ToolName> = ToolResults[N];',
          '/** The same to a call without `max_chars`: `WholeOutput<"tasks_radar">`. */\nexport type WholeOutput<N extends ToolName> = WholeResults[N];',
        ],
        ['import type { TaskfoldEvent } from "../../events/generated/event_types.ts";'],
      ),
    ],
  ]);
}

/** By code unit: the order must not depend on a locale. @template T @param {Readonly<Record<string, T>>} registry @param {(entry: T) => string} key */
function sorted(registry, key) {
  return Object.values(registry).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** @param {Types} types @param {string[]} last @param {string[]} [imports] */
function file(types, last, imports = []) {
  const json = ["Json", "JsonObject"].filter((name) => types.used.has(name));
  if (json.length > 0) imports.push(`import type { ${json.join(", ")} } from "../../state/json.ts";`);
  return `${[[HEADER, ...imports].join("\n"), ...types.declarations, ...last].join("\n\n")}\n`;
}

class Types {
  /** @type {string[]} */
  declarations = [];
  /** @type {Set<string>} */
  missing = new Set();
  /** @type {Set<string>} */
  used = new Set();
  /** @type {Map<string, string>} */
  #names = new Map();
  /** @type {Set<string>} */
  #taken = new Set();
  /** The fields of each base as the first object has them. @type {Map<string, string[]>} */
  #bases = new Map();

  /** Keeps the name for this object, wherever it stands. @param {string} name @param {object} schema */
  reserve(name, schema) {
    this.#taken.add(name);
    if ("properties" in schema && !this.#names.has(shapeKey(schema))) this.#names.set(shapeKey(schema), name);
  }

  /** @param {string} name @param {string} doc @param {object} given @param {object} [cut] */
  top(name, doc, given, cut) {
    const schema = /** @type {Schema} */ (given);
    const known = this.#names.get(shapeKey(schema));
    const place = {
      parent: name,
      name: name.endsWith("Input") ? "input" : "result",
      cut: /** @type {Schema | undefined} */ (cut),
    };
    if (schema["properties"] && known === name) this.#interface(name, doc, schema, place);
    else this.declarations.push(`/** ${comment(doc)} */\nexport type ${name} = ${known ?? this.#type(schema, place)};`);
  }

  /**
   * The other form of an answer: its objects are named after it, and extend those of the answer that may be cut.
   * @param {string} name @param {string} doc @param {object} schema @param {object} cut
   */
  whole(name, doc, schema, cut) {
    this.reserve(name, schema);
    this.top(name, doc, schema, cut);
  }

  /** @param {EventEntry} event @returns {string} */
  event({ type, printed, doc, payload }) {
    const name = `${pascal(type.replaceAll(".", "_"))}Event`;
    const { properties, required } = /** @type {{ properties: Record<string, Schema>, required: string[] }} */ (
      payload
    );
    const clash = Object.keys(properties).filter((field) => field in EVENT_HEAD || field === "payload");
    if (clash.length > 0) throw new Error(`Expected no field of ${type} to be called ${clash.join(" or ")}.`);
    const whole = {
      properties: { ...EVENT_HEAD, type: { const: printed }, ...properties, payload: PAYLOAD },
      required: [...Object.keys(EVENT_HEAD), ...required],
    };
    this.#taken.add(name);
    this.#interface(name, doc, whole, { parent: name, name: "event" });
    return name;
  }

  /** @param {string} name @param {string} doc @param {Schema} schema @param {Place} place */
  #interface(name, doc, schema, place) {
    const { properties } = membersOf(schema);
    // Its place in the file comes before those of the objects in it.
    const at = this.declarations.push("") - 1;
    const { cut } = place;
    const base = cut && this.#names.get(shapeKey(cut));
    if (cut && base !== undefined && base !== name) {
      const before = new Set(this.#fields(cut, { parent: place.parent, name: place.name }));
      const own = this.#fields(schema, place).filter((field) => !before.has(field));
      this.declarations[at] =
        `/** ${comment(doc)} */\nexport interface ${name} extends ${base} {\n${own.join("\n")}\n}`;
      return;
    }
    const typed = this.#fields(schema, place);
    const fields = Object.entries(properties).map(
      ([field, member], n) => `  /** ${comment(this.#docOf(field, member, place))} */\n${typed[n]}`,
    );
    const { bases, own } = this.#based(Object.keys(properties), fields);
    const from = bases.length === 0 ? "" : ` extends ${bases.join(", ")}`;
    this.declarations[at] = `/** ${comment(doc)} */\nexport interface ${name}${from} {\n${own.join("\n")}\n}`;
  }

  /** Its fields with their types, without docs. @param {Schema} schema @param {Place} place @returns {string[]} */
  #fields(schema, { parent, name, cut }) {
    const { properties, required } = membersOf(schema);
    return Object.entries(properties).map(([field, member]) => {
      const optional = required.includes(field) ? "" : "?";
      const key = /^\w+$/.test(field) ? field : JSON.stringify(field);
      const where = { parent: name, name: field, cut: cut && membersOf(cut).properties[field] };
      return `  ${key}${optional}: ${this.#type(member, where, parent)};`;
    });
  }

  /** The bases whose fields are among these, and the fields that are left. @param {string[]} names @param {string[]} fields */
  #based(names, fields) {
    let own = fields;
    const bases = BASES.flatMap(([name, doc, members]) => {
      const found = members.flatMap((member) => fields.filter((_, n) => names[n] === member));
      if (found.length < members.length) return [];
      const known = this.#bases.get(name) ?? found;
      if (!this.#bases.has(name)) {
        this.#bases.set(name, found);
        this.#taken.add(name);
        this.declarations.push(`/** ${doc} */\nexport interface ${name} {\n${found.join("\n")}\n}`);
      }
      if (known.join() !== found.join()) return [];
      own = own.filter((field) => !found.includes(field));
      return [name];
    });
    return { bases, own };
  }

  /** @param {string} field @param {Schema} schema @param {Place} place */
  #docOf(field, schema, { parent, name }) {
    if (typeof schema["description"] === "string") return schema["description"];
    const tool = snake(parent.replace(/(?:Input|Result|Whole)$/, ""));
    const keys = [`${tool}.${field}`, `${name}.${field}`, field];
    const doc = keys.map((key) => FIELD_DOCS[key]).find((text) => text !== undefined);
    if (doc === undefined) this.missing.add(`${name}.${field}`);
    return doc ?? "";
  }

  /** @param {Schema} schema @param {Place} place @param {string} [owner] name of the interface or tool that holds it @returns {string} */
  #type(schema, place, owner = place.parent) {
    const branches = /** @type {Schema[] | undefined} */ (schema["anyOf"] ?? schema["oneOf"]);
    if (branches) {
      const cuts = /** @type {Schema[] | undefined} */ (place.cut?.["anyOf"] ?? place.cut?.["oneOf"]);
      return [...new Set(branches.map((one, n) => this.#type(one, { ...place, cut: cuts?.[n] }, owner)))].join(" | ");
    }
    if ("const" in schema) return JSON.stringify(schema["const"]);
    if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
    switch (schema["type"]) {
      case "string":
      case "boolean":
      case "null":
        return schema["type"];
      case "integer":
      case "number":
        return "number";
      case "array":
        return arrayOf(
          this.#type(inside(schema, "items"), { ...place, item: true, cut: inside(place.cut, "items") }, owner),
        );
      case "object":
        return this.#object(schema, place, owner);
      case undefined:
        return this.#use("Json");
      default:
        throw new Error(`Expected a type that TypeScript has, found ${JSON.stringify(schema["type"])}.`);
    }
  }

  /** @param {Schema} schema @param {Place} place @param {string} owner */
  #object(schema, place, owner) {
    const { additionalProperties: values, properties } = schema;
    if (typeof values === "object")
      return `Record<string, ${this.#type(/** @type {Schema} */ (values), { ...place, cut: inside(place.cut, "additionalProperties") }, owner)}>`;
    if (!properties) return this.#use("JsonObject");
    if (isEvent(schema)) return "TaskfoldEvent";
    const key = shapeKey(schema);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#newName(place, owner);
    this.#names.set(key, name);
    const doc = typeof schema["description"] === "string" ? schema["description"] : `${words(name)}.`;
    this.#interface(name, doc, schema, { parent: name, name: place.name, cut: place.cut });
    return name;
  }

  /** @param {Place} place @param {string} owner */
  #newName({ parent, name, item }, owner) {
    const shared = SHARED_NAMES[`${owner}.${name}`] ?? SHARED_NAMES[`${parent}.${name}`];
    // The forms that a whole result may have stand in no field.
    const own =
      parent === owner
        ? `${owner}Form`
        : `${owner.replace(/(?:Input|Result|Event)$/, "")}${pascal(item ? singular(name) : name)}`;
    const candidates = [...(shared === undefined ? [] : [shared]), own];
    for (let n = 2; ; n++) {
      const found = candidates.find((candidate) => !this.#taken.has(candidate));
      if (found !== undefined) {
        this.#taken.add(found);
        return found;
      }
      candidates.push(`${own}${n}`);
    }
  }

  /** @param {string} name */
  #use(name) {
    this.used.add(name);
    return name;
  }
}

/** @param {Schema} schema */
function membersOf(schema) {
  return /** @type {{ properties: Record<string, Schema>, required: string[] }} */ (/** @type {unknown} */ (schema));
}

/** The schema that a keyword holds. @template {Schema | undefined} S @param {S} schema @param {string} keyword @returns {S} */
function inside(schema, keyword) {
  return /** @type {S} */ (schema?.[keyword]);
}

/** The members of every event and nothing else: the schema of any event. @param {Schema} schema */
function isEvent({ properties, required, additionalProperties }) {
  const heads = Object.keys(EVENT_HEAD).join();
  return (
    additionalProperties === undefined &&
    Object.keys(/** @type {object} */ (properties)).join() === heads &&
    /** @type {string[]} */ (required).join() === heads
  );
}

/** Objects of the same shape are one interface. @param {object} schema */
function shapeKey(schema) {
  const { description: _said, ...shape } = /** @type {Schema} */ (schema);
  return JSON.stringify(shape);
}

/** @param {string} type */
function arrayOf(type) {
  return type.includes(" | ") ? `(${type})[]` : `${type}[]`;
}

/** @param {string} name */
function pascal(name) {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_whole, letter) => String(letter).toUpperCase());
}

/** @param {string} name */
function singular(name) {
  return name.replace(/ies$/, "y").replace(/(?<=[^s])s$/, "");
}

/** @param {string} name */
function snake(name) {
  return name.replaceAll(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
}

/** @param {string} name */
function words(name) {
  const text = snake(name).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Of the Taskdoc tools, whose docs go on with the rules of Taskdocs. @param {string} doc */
export function firstLine(doc) {
  return doc.split("\n")[0] ?? "";
}

/** @param {string} text */
function comment(text) {
  return text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ");
}
