/** Task Master: `.taskmaster/tasks/tasks.json`. */
import type { Said, Writing, Written } from "./writing.ts";
import { jsonText, saidOf, written } from "./writing.ts";

const STATUSES = ["pending", "in-progress", "review", "blocked", "done", "completed", "cancelled", "deferred", "odd"];

export function writeTaskmaster(w: Writing): Written {
  const tags = w.random.chance(0.3) ? undefined : ["master", ...w.some(2, () => `tag-${w.word()}`)];
  const said: Said[] = [];
  const contexts = (tags ?? ["master"]).map((tag) => [tag, contextOf(w, tag, said)] as const);
  const whole = tags === undefined ? contexts[0]![1] : Object.fromEntries(contexts);
  const text = jsonText(whole, w.pick([0, 2]));
  return { path: ".", files: new Map([[".taskmaster/tasks/tasks.json", `${w.pick(["", "\ufeff"])}${text}`]]), said };
}

function contextOf(w: Writing, tag: string, said: Said[]): Record<string, unknown> {
  const count = 1 + w.random.below(5);
  const ids = Array.from({ length: count }, (_none, at) => at + 1 + (at > 1 ? 9 : 0));
  const named = (id: number | string): string => (tag === "master" ? String(id) : `${tag}-${id}`);
  const tasks = ids.map((id, at) => {
    const of = named(id);
    const before = ids.slice(0, at);
    const dependencies = w.some(2, () =>
      before.length === 0 ? 77 : w.pick([...before, String(w.pick(before)), 77, `${w.pick(ids)}.1`]),
    );
    for (const to of dependencies) said.push({ of, field: "dependencies", value: null, dependsOn: named(to) });
    const task = fieldsOf(w, { id: w.pick([id, String(id)]), dependencies });
    said.push(...saidOf(of, task, ["dependencies", "id"]));
    return { ...task, subtasks: subtasksOf(w, { of, above: String(id), ids, named, said, depth: 0 }) };
  });
  const metadata = w.maybe(() => ({
    version: "1.0.0",
    created: w.stamp(),
    description: w.text(),
    [w.word()]: w.value(),
  }));
  if (metadata) {
    const of = tag === "master" ? {} : { of: `tag:${tag}` };
    for (const [name, value] of Object.entries(metadata)) said.push({ ...of, field: `metadata.${name}`, value });
  }
  return written({ tasks, metadata });
}

function fieldsOf(w: Writing, more: Record<string, unknown>): Record<string, unknown> {
  const task = {
    title: w.pick([w.line(), w.text(), ""]),
    description: w.maybe(() => w.wild()),
    details: w.maybe(() => w.wild()),
    testStrategy: w.maybe(() => w.pick([w.text(), ""])),
    status: w.maybe(() => w.pick(STATUSES)),
    priority: w.maybe(() => w.pick(["high", "Medium", "LOW", w.word(), w.text()])),
    updatedAt: w.maybe(() => w.stamp()),
    complexity: w.maybe(() => w.value()),
    assignee: w.maybe(() => w.word()),
    metadata: w.maybe(() => ({ [w.word()]: w.value(), [w.word()]: w.value() })),
    [w.word()]: w.value(),
  };
  return written({ ...more, ...task });
}

interface Below {
  of: string;
  above: string;
  ids: readonly number[];
  named: (id: number | string) => string;
  said: Said[];
  depth: number;
}

function subtasksOf(w: Writing, { of, above, ids, named, said, depth }: Below): unknown[] | undefined {
  if (depth > 2) return undefined;
  const count = w.random.below(depth === 0 ? 12 : 2);
  return Array.from({ length: count }, (_none, at) => {
    const id = at + 1;
    const whole = ids.filter((one) => one > count);
    const dependencies = w.some(2, () =>
      w.pick([
        99.1,
        "99.1",
        `${above}.${1 + w.random.below(count)}`,
        ...(at > 0 ? [at] : []),
        ...whole,
        ...whole.map(String),
      ]),
    );
    for (const to of dependencies) {
      const sibling = typeof to === "number" && Number.isInteger(to) && to <= count;
      said.push({
        of,
        by: named(`${above}.${id}`),
        field: "dependencies",
        value: null,
        dependsOn: named(sibling ? `${above}.${to}` : to),
      });
    }
    const fields = fieldsOf(w, {
      id: w.pick([id, String(id)]),
      dependencies,
      parentTaskId: w.maybe(() => w.pick([Number(above), "undefined"])),
      parentId: w.maybe(() => "undefined"),
    });
    said.push(
      ...saidOf(of, fields, ["dependencies", "id", "parentTaskId", "parentId"]).map((one) => ({
        ...one,
        by: named(`${above}.${id}`),
      })),
    );
    const subtasks = subtasksOf(w, { of, above: `${above}.${id}`, ids, named, said, depth: depth + 1 });
    return written({ ...fields, subtasks });
  });
}
