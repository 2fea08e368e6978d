import { shorten } from "../state/code_points.ts";
import type { Entity } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { isLive } from "../state/live.ts";
import { boolean, integer, list, object, optional, text } from "../state/schema.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { fitBudget } from "../views/budget.ts";
import { SEARCH_CUTS } from "../views/cuts.ts";
import { pageOf, wholeOf } from "../views/page.ts";
import { asOf, maxChars, page, readOnly, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import type { ReadTool, WorkspaceReadContext } from "./read_tool.ts";
import type { Answer } from "./reply_context.ts";
import * as out from "./output.ts";

/** Places named of one plan or task. */
const PLACES = 5;
/** Characters shown before the text that was found, and in all. */
const [BEFORE, SHOWN] = [30, 120];

interface Place {
  where: string;
  text: string;
}

interface SearchInput {
  text: string;
  archived?: boolean;
  limit?: number;
  cursor?: number;
  max_chars?: number;
}

export const tasksSearch = readTool({
  name: "tasks_search",
  title: "Find a text",
  doc: "Find the plans and tasks that say a text in their fields, steps, notes or evidence, in any case.",
  input: object({
    workspace,
    text: text({ minLength: 1, maxLength: 200 }),
    archived: optional(boolean({ description: "Of what lies in the archive instead." })),
    ...page,
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    workspace: text(),
    as_of: out.asOf,
    archived: integer({ description: "Plans and tasks in the archive." }),
    notes_not_searched: integer({ description: "Of each plan and task the last notes are searched." }),
    tasks: list(
      object({
        id: text(),
        title: text(),
        status: out.status,
        deleted: optional(boolean()),
        found: list(object({ where: text({ description: "A field, or the path of a step or note." }), text: text() }), {
          description: "The first five places, each with some text around.",
        }),
        more: optional(boolean({ description: "It says the text in more places." })),
      }),
    ),
    pagination: out.pagination,
  }),
  examples: [
    { workspace: "acme/repo", text: "parser" },
    { workspace: "acme/repo", text: "parser", limit: 10, cursor: 10, max_chars: 4000 },
  ],
  target: "workspace",
  reply: (input, ctx) => answer(input, ctx, pageOf),
});

/** The same with every row in one page, for a host that shows the whole list. Not one of the tools that callers see. */
export const wholeSearch: ReadTool = {
  ...tasksSearch,
  reply: (input: SearchInput, ctx: WorkspaceReadContext) => answer(input, ctx, wholeOf),
};

/** All that a search looks at of one plan or task, and how many notes it leaves out. */
export interface Searched {
  places: readonly Place[];
  unsearched: number;
}

/** A host that searches again and again keeps these by id. It forgets what has changed. */
export interface SearchedTexts {
  get: (id: string) => Searched | undefined;
  set: (id: string, searched: Searched) => unknown;
}

/** The whole search, which reads no plan or task whose texts are kept. */
export function searchOver(texts: SearchedTexts): ReadTool {
  return {
    ...tasksSearch,
    reply: (input: SearchInput, ctx: WorkspaceReadContext) => answer(input, ctx, wholeOf, texts),
  };
}

function answer(
  input: SearchInput,
  ctx: WorkspaceReadContext,
  paged: typeof pageOf | typeof wholeOf,
  texts?: SearchedTexts,
): Answer {
  const lower = input.text.toLowerCase();
  const { names, read } = ctx.archive;
  const away = names();
  const rows = input.archived ? read(away) : ctx.rows().filter((row) => !row.deleted);
  let unsearched = 0;
  const all = rows.flatMap((row) => {
    const searched = texts?.get(row.id) ?? readTexts(row, ctx, texts);
    unsearched += searched.unsearched;
    const places = foundIn(searched, lower);
    if (places.length === 0) return [];
    return [
      {
        id: row.id,
        title: row.title,
        status: row.status,
        ...(row.deleted && !row.archived ? { deleted: true } : {}),
        found: places.slice(0, PLACES),
        ...(places.length > PLACES ? { more: true } : {}),
      },
    ];
  });
  const { items, pagination, warnings } = paged(all, input, { name: "limit", more: "pagination" });
  const counts = { archived: away.length, notes_not_searched: unsearched };
  const whole = { workspace: ctx.workspace, ...asOf(ctx), ...counts, tasks: [...items], pagination };
  const fitted = fitBudget(whole, input.max_chars, SEARCH_CUTS);
  return { result: fitted.result, warnings: [...warnings, ...fitted.warnings] };
}

function readTexts(row: Listed, ctx: WorkspaceReadContext, texts: SearchedTexts | undefined): Searched {
  const subject = ctx.find(row);
  // It went away meanwhile.
  if (!subject) return { places: [], unsearched: 0 };
  const { id, entity } = subject;
  const unsearched = Math.max(0, entity.note_count - entity.notes.length);
  const searched = { places: [...placesOf(id, entity)], unsearched };
  texts?.set(row.id, searched);
  return searched;
}

/** Its first places, and one more where there is one. */
function foundIn({ places }: Searched, lower: string): { where: string; text: string }[] {
  const found: Place[] = [];
  for (const { where, text: whole } of places) {
    const at = whole.toLowerCase().indexOf(lower);
    if (at === -1) continue;
    found.push({ where, text: around(whole, at) });
    if (found.length > PLACES) break;
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
