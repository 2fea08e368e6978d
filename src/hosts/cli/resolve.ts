/** `taskfold resolve`: after a merge that stopped, or one that left a log out of order. */
import { okReply } from "../../engine/reply.ts";
import type { ResolveReport } from "../../engine/resolve.ts";
import { EXIT } from "../../errors.ts";
import type { Json, JsonObject } from "../../index.ts";
import { openGit } from "../git/git_port.ts";
import { findingsText, hasFaults } from "./findings_text.ts";
import { safeJson, safeLine } from "./safe_text.ts";
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

interface Options {
  dryRun?: boolean;
  stage?: boolean;
}

/** Of a value that two branches disagree about, in characters. */
const MOST_SHOWN = 400;

export function resolve(session: Session, id: string | undefined, options: Options): Promise<Outcome> {
  return session.within(async (workspace) => {
    const git = openGit(workspace.root);
    const report = await workspace.resolve(id, { ...options, ...(git === undefined ? {} : { git }) });
    return {
      exit: hasFaults(report.findings) ? EXIT.refused : EXIT.ok,
      json: okReply("resolve", JSON.parse(JSON.stringify(report)) as JsonObject, [], []),
      human: () => ({ out: text(report, options), err: findingsText(report.findings) }),
    };
  });
}

function text(report: ResolveReport, { dryRun = false, stage = false }: Options): string {
  const { changed, entities, joined, conflicts, moved, staged } = report;
  const would = dryRun ? "would be " : "";
  const logs = entities.length === 0 ? "The logs are in order" : `Logs ${would}put in order: ${entities.length}`;
  const lines = [
    changed ? `${logs}; the files folded from them ${would || "were "}written anew.` : "Nothing was out of order.",
    ...entities
      .filter((e) => e.quarantined > 0)
      .map((e) => `${e.id}: ${e.quarantined} unreadable lines ${would}set aside in .coco/registry/quarantine.`),
    ...entities.filter((e) => e.restored).map((e) => `${e.id}: the log ${would}brought back from a side of the merge.`),
    ...entities.flatMap(({ id, split }) =>
      split.map((other) => `${id} held a second task, which ${would}moved to ${other.id}.`),
    ),
    ...joined.map((one) => `${one} stood in two folders and stands in one.`),
    ...conflicts.map(({ id, label, values }) => {
      const said = values.map(({ value, by }) => `${shortJson(value)} by ${by}`).join(" or ");
      return `${id}: ${label} was written on both sides: ${said}. Write it again to settle.`;
    }),
    ...moved.map(({ id, steps }) => `${id}: the paths of ${steps.join(", ")} moved; select them by step_id.`),
    ...(stage && !dryRun ? [`Staged ${staged.length} files; commit when you are content.`] : []),
  ];
  return lines.map((line) => `${safeLine(line)}\n`).join("");
}

/** A text of many pages is told by its beginning: the log has it whole. */
function shortJson(value: Json): string {
  const text = safeJson(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
}
