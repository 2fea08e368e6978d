import { asIs, textOf } from "../sentence.ts";
import { evidenceFor } from "../rules/evidence_for.ts";
import { stepToRead } from "../rules/step_of.ts";
import { DEGREES, degreeOfEntry } from "../state/degree.ts";
import { staleWords } from "../state/stale_words.ts";
import { integer, list, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { VERIFY_CUTS } from "../views/cuts.ts";
import type { Checked } from "../views/evidence_check.ts";
import { checkEntry, provedBy, VERDICTS } from "../views/evidence_check.ts";
import { pageOf } from "../views/page.ts";
import { stalenessOf } from "../views/stale.ts";
import { targetOf } from "../views/target.ts";
import { fromFocus, maxChars, page, readOnly, stepSelector, target, workspace } from "./common.ts";
import type { ReadContext } from "./read_tool.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksEvidenceVerify = readTool({
  name: "tasks_evidence_verify",
  title: "Check evidence again",
  doc: "Look again at what evidence points at (lines of files, captured output, attached files, commits) and tell which of it no longer holds.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    evidence: optional(
      list(text({ minLength: 1, maxLength: 200 }), {
        maxItems: 200,
        description: "Only these ids; all when left out.",
      }),
    ),
    ...page,
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    workspace: text(),
    target: view.target,
    summary: object({
      total: integer(),
      holds: integer(),
      broken: integer(),
      unverifiable: integer(),
      stale: integer(),
    }),
    evidence: list(
      object({
        id: text(),
        kind: text(),
        title: text(),
        status: oneOf(VERDICTS),
        why: optional(list(text())),
        degree: oneOf(DEGREES),
        stale: optional(object({ why: text(), paths: list(text()), commit: orNull(text()) })),
        proves: optional(list(object({ ...out.named, checkpoints: out.checkpointList }))),
      }),
    ),
    pagination: out.pagination,
  }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", path: "s:0" },
  ],
  target: "entity",
  reads: ["git_commits", "git_tree"],
  reply: (input, ctx) => {
    const { entity } = ctx.subject;
    const entries = evidenceFor(ctx.subject, stepToRead(ctx.subject, input), input.evidence);
    const rows = entries.map((entry) => {
      const { beside } = ctx;
      const checked: Checked = beside ? checkEntry(entity, entry, beside.look) : NOBODY_LOOKS;
      const { id, kind, title } = entry;
      const about = {
        status: checked.status,
        why: checked.why.map(textOf),
        degree: degreeOfEntry(entity, id),
        ...staleOf(ctx, id),
      };
      return { id, kind, title, ...about, proves: provedBy(entity, id) };
    });
    const count = (status: string): number => rows.filter((row) => row.status === status).length;
    const order = rows.toSorted((a, b) => rank(a.status) - rank(b.status));
    const { items, pagination, warnings } = pageOf(order, input, { name: "limit", more: "pagination" });
    const whole = {
      workspace: ctx.workspace,
      target: targetOf(ctx.subject, ctx.idOf),
      ...fromFocus(ctx),
      summary: {
        total: rows.length,
        ...Object.fromEntries(VERDICTS.map((v) => [v, count(v)])),
        stale: rows.filter(({ stale }) => stale).length,
      },
      evidence: items,
      pagination,
    };
    const fitted = fitBudget(whole, input.max_chars, VERIFY_CUTS);
    return { result: fitted.result, warnings: [...warnings, ...fitted.warnings] };
  },
});

const MAX_PATHS = 20;

/** Nothing where the files are as the run saw them. */
function staleOf({ subject, beside }: ReadContext, id: string) {
  const found = beside?.staleness && stalenessOf(subject, id, beside.staleness);
  const why = found && staleWords(found);
  if (why === undefined) return {};
  const { paths, commit } = found?.is === "stale" ? found : { paths: [], commit: null };
  return { stale: { why: why.text, paths: paths.slice(0, MAX_PATHS).map((path) => path.toWellFormed()), commit } };
}

const NOBODY_LOOKS: Checked = { status: "unverifiable", why: [asIs("the folder is another program's")] };

/** Broken entries come first. */
function rank(status: Checked["status"]): number {
  return ["broken", "holds", "unverifiable"].indexOf(status);
}
