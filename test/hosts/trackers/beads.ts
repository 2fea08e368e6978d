/** beads: what `bd export` prints, one record a line. */
import type { Said, Writing, Written } from "./writing.ts";
import { jsonText, saidOf, written } from "./writing.ts";

const STATUSES = ["open", "in_progress", "hooked", "blocked", "closed", "deferred", "pinned"];

export function writeBeads(w: Writing): Written {
  const said: Said[] = [];
  const lines: string[] = [];
  const put = (record: Record<string, unknown>): void => void lines.push(jsonText(record));
  if (w.random.chance(0.5)) put({ _schema: "beads.export.v1", exported_at: w.stamp() });
  const issues: { id: string; home: string; isEpic: boolean }[] = [];
  const count = 1 + w.random.below(6);
  for (let at = 0; at < count; at++) {
    const above = issues.length > 0 && w.random.chance(0.5) ? w.pick(issues) : undefined;
    const id = above && w.random.chance(0.7) ? `${above.id}.${10 - at}` : `bd-${w.word()}`;
    const isEpic = !above && w.random.chance(0.3);
    const home = above && !above.isEpic ? above.home : id;
    const parents = above
      ? [above.id, ...(w.random.chance(0.3) ? [w.pick(issues).id] : [])]
      : w.random.chance(0.1)
        ? ["bd-unknown"]
        : [];
    const others = w.some(3, () => ({
      type: w.pick(["blocks", "related", "discovered-from", "waits-for"]),
      to: w.pick([...issues.map((one) => one.id), `bd-${w.word()}`]),
    }));
    const links = [...parents.map((to) => ({ type: "parent-child", to })), ...others];
    const dependencies = links.map(({ type, to }) =>
      written({
        issue_id: id,
        depends_on_id: to,
        type,
        created_at: w.stamp(),
        created_by: w.word(),
        metadata: w.maybe(() => w.line()),
      }),
    );
    for (const { type, to } of links) {
      if (type === "blocks") said.push({ of: home, by: id, field: "dependencies", value: null, dependsOn: to });
      else if (type !== "parent-child" || to !== above?.id) said.push({ of: home, field: "dependencies", value: to });
    }
    for (const link of dependencies)
      for (const name of ["created_at", "created_by", "metadata"])
        said.push({ of: home, field: `dependencies.${name}`, value: link[name] });
    const comments = w.some(3, (n) => ({
      id: n + 5000,
      issue_id: id,
      author: w.word(),
      text: w.wild(),
      created_at: w.stamp(),
      [w.word()]: w.value(),
    }));
    for (const comment of comments)
      for (const [name, value] of Object.entries(comment))
        if (name !== "issue_id") said.push({ of: home, field: `comments.${name}`, value });
    const issue = issueOf(w, id, isEpic);
    said.push(...saidOf(home, issue, ["id", "acceptance_criteria", "priority", ...(isEpic ? ["issue_type"] : [])]));
    if (typeof issue["acceptance_criteria"] === "string")
      said.push({ of: home, field: "acceptance_criteria", value: issue["acceptance_criteria"].split("\n") });
    put(written({ ...(w.random.chance(0.5) ? { _type: "issue" } : {}), ...issue, dependencies, comments }));
    issues.push({ id, home, isEpic });
    if (w.random.chance(0.2)) {
      const key = w.word();
      put({ _type: "memory", key, value: w.wild() });
      said.push({ field: "memory", value: key });
    }
    if (w.random.chance(0.1)) {
      const title = w.line();
      put({ id, title, status: "open", description: "the second of one id" });
      said.push({ field: "twin", value: title });
    }
    if (w.random.chance(0.1)) lines.push(`{"id":"bd-${w.word()}","title":`);
    if (w.random.chance(0.1)) put({ _type: "event", id: w.word(), actor: w.word() });
    if (w.random.chance(0.1)) put({ id: `bd-${w.word()}`, title: w.line(), status: "tombstone" });
  }
  return { path: "issues.jsonl", files: new Map([["issues.jsonl", lines.join(w.pick(["\n", "\r\n", "\n\n"]))]]), said };
}

function issueOf(w: Writing, id: string, isEpic: boolean): Record<string, unknown> {
  const list = (): string => w.some(4, () => `- ${w.pick(["", "[ ] ", "[x] "])}${w.line()}`).join("\n");
  return written({
    id,
    title: w.pick([w.line(), w.text(), ""]),
    description: w.wild(),
    design: w.maybe(() => w.wild()),
    acceptance_criteria: w.maybe(() => w.pick([list(), w.text(), w.wild()])),
    notes: w.maybe(() => w.wild()),
    status: w.pick(STATUSES),
    priority: w.pick([0, 1, 2, 3, 4]),
    issue_type: isEpic ? "epic" : w.pick(["task", "bug", "feature", "chore", w.word()]),
    assignee: w.maybe(() => w.word()),
    owner: w.maybe(() => w.word()),
    estimated_minutes: w.maybe(() => 60_000 + w.random.below(1000)),
    created_at: w.stamp(),
    created_by: w.maybe(() => w.word()),
    updated_at: w.stamp(),
    closed_at: w.maybe(() => w.stamp()),
    close_reason: w.maybe(() => w.wild()),
    external_ref: w.maybe(() => w.word()),
    spec_id: w.maybe(() => w.word()),
    due_at: w.maybe(() => w.stamp()),
    defer_until: w.maybe(() => w.stamp()),
    source_repo: w.maybe(() => w.word()),
    content_hash: w.maybe(() => w.word()),
    metadata: w.maybe(() => w.value()),
    waiters: w.maybe(() => w.some(2, () => w.word())),
    labels: w.maybe(() => w.some(4, () => w.pick([w.word(), w.line(), w.text()]))),
    [w.word()]: w.value(),
  });
}
