/** Taskwarrior: what `task export` prints. */
import type { Said, Writing, Written } from "./writing.ts";
import { jsonText, saidOf, written } from "./writing.ts";

export function writeTaskwarrior(w: Writing): Written {
  const said: Said[] = [];
  const uuids: string[] = [];
  const rows = Array.from({ length: 1 + w.random.below(6) }, (_none, at): Record<string, unknown> => {
    const uuid = `${String(at).repeat(8)}-1111-4111-8111-${String(100_000_000_000 + w.random.below(899_999_999))}`;
    const depends = w.some(2, () => (uuids.length === 0 ? "99999999-1111-4111-8111-111111111111" : w.pick(uuids)));
    for (const to of depends) said.push({ of: uuid, field: "depends", value: null, dependsOn: to });
    const annotations = w.some(3, () => ({ entry: stamp(w), description: w.wild() }));
    for (const note of annotations)
      said.push({ of: uuid, field: "annotations", value: note.description, isText: true });
    const task = taskOf(w, uuid, at);
    said.push(...saidOf(uuid, task, ["uuid", "priority"]));
    uuids.push(uuid);
    return written({ ...task, annotations, depends: w.random.chance(0.3) ? depends.join(",") : depends });
  });
  if (w.random.chance(0.3))
    rows.push({ uuid: "aaaaaaaa-1111-4111-8111-111111111111", description: "gone", status: "deleted" });
  if (w.random.chance(0.3))
    rows.push({ uuid: "bbbbbbbb-1111-4111-8111-111111111111", description: "weekly", status: "recurring" });
  const lines = rows.map((row) => jsonText(row));
  const text = w.random.chance(0.7) ? `[\n${lines.join(",\n")}\n]\n` : lines.join("\n");
  return { path: "export.json", files: new Map([["export.json", text]]), said };
}

function stamp(w: Writing): string {
  return w.stamp().replaceAll(/[-:]|\.\d+/g, "");
}

function taskOf(w: Writing, uuid: string, at: number): Record<string, unknown> {
  return written({
    id: 7000 + at,
    uuid,
    description: w.pick([w.line(), w.text()]),
    status: w.pick(["pending", "waiting", "completed"]),
    entry: stamp(w),
    modified: w.maybe(() => stamp(w)),
    start: w.random.chance(0.2) ? stamp(w) : undefined,
    end: w.maybe(() => stamp(w)),
    due: w.maybe(() => stamp(w)),
    wait: w.maybe(() => stamp(w)),
    scheduled: w.maybe(() => stamp(w)),
    until: w.maybe(() => stamp(w)),
    recur: w.maybe(() => w.word()),
    parent: w.maybe(() => w.word()),
    imask: w.maybe(() => 4000 + at),
    mask: w.maybe(() => w.word()),
    rtype: w.maybe(() => "periodic"),
    template: w.maybe(() => w.word()),
    project: w.maybe(() => w.pick([w.line(), `${w.word()}.${w.word()}`])),
    priority: w.maybe(() => w.pick(["H", "M", "L", w.word()])),
    tags: w.maybe(() => w.some(4, () => w.pick([w.word(), w.line()]))),
    urgency: 8000.5 + at,
    // Attributes of one's own, or of a program beside it.
    journal: w.maybe(() => w.wild()),
    size: w.maybe(() => 9000.5 + at),
    githubbody: w.maybe(() => w.wild()),
    [w.word()]: w.value(),
  });
}
