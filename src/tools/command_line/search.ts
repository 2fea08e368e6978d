/** What the command line asks to find a text. No call of agents, as `show` is none: they have the lists and the handoff. */
import { shorten } from "../../state/code_points.ts";
import type { Entity, Subject } from "../../state/entity.ts";
import { isLive } from "../../state/live.ts";
import { list, object, text } from "../../state/schema.ts";
import { statusOf } from "../../state/status.ts";
import { pathOf, preOrder } from "../../state/tree.ts";
import { asOf, workspace } from "../common.ts";
import { defineTool } from "../define.ts";
import * as out from "../output.ts";

/** Places named of one plan or task. */
const PLACES = 5;
/** Characters shown before the text that was found, and in all. */
const [BEFORE, SHOWN] = [30, 120];

interface Place {
  where: string;
  text: string;
}

export const searchTool = defineTool({
  name: "search",
  title: "Find a text",
  doc: "Find the plans and tasks that say a text in their fields, steps, notes or evidence, in any case.",
  input: object({ workspace, text: text({ minLength: 1, maxLength: 200 }) }),
  output: object({
    workspace: text(),
    as_of: out.asOf,
    tasks: list(
      object({ id: text(), title: text(), status: out.status, found: list(object({ where: text(), text: text() })) }),
    ),
  }),
  examples: [{ workspace: "acme/repo", text: "parser" }],
  effect: "read",
  target: "workspace",
  reply: ({ text: wanted }, ctx) => {
    const lower = wanted.toLowerCase();
    const tasks = ctx.rows!().flatMap((row) => {
      const subject = row.deleted ? undefined : ctx.find(row);
      const found = subject ? foundIn(subject, lower) : [];
      return found.length === 0 ? [] : [{ id: row.id, title: row.title, status: statusOf(subject!.entity), found }];
    });
    return { result: { workspace: ctx.workspace, ...asOf(ctx), tasks } };
  },
});

function foundIn({ id, entity }: Subject, lower: string): { where: string; text: string }[] {
  const found: Place[] = [];
  for (const { where, text: whole } of placesOf(id, entity)) {
    const at = whole.toLowerCase().indexOf(lower);
    if (at === -1) continue;
    found.push({ where, text: around(whole, at) });
    if (found.length === PLACES) break;
  }
  return found;
}

function around(whole: string, at: number): string {
  const from = Math.max(at - BEFORE, 0);
  const piece = whole.slice(from).replace(/\s+/g, " ").trim().toWellFormed();
  return `${from > 0 ? "…" : ""}${shorten(piece, SHOWN)}`;
}

function* placesOf(id: string, entity: Entity): Generator<Place> {
  yield { where: "id", text: id };
  yield { where: "title", text: entity.title };
  for (const field of ["description", "context", "contract"] as const)
    yield { where: field, text: entity[field] ?? "" };
  for (const tag of entity.tags) yield { where: "tag", text: tag };
  for (const step of preOrder(entity.children)) {
    const where = pathOf(step);
    for (const one of [step.title, ...step.success_criteria, ...step.tests, ...step.blockers])
      yield { where, text: one };
  }
  for (const note of entity.notes) {
    const step = note.step === null ? undefined : entity.steps.get(note.step);
    yield { where: step && isLive(step) ? `note on ${pathOf(step)}` : "note", text: note.text };
  }
  for (const { title, summary } of entity.evidence) yield { where: "evidence", text: `${title} ${summary}` };
}
