/** `taskfold add` and `taskfold plan add`. */
import { join, relative } from "node:path";
import type { Reply } from "../../engine/entity/reply.ts";
import { TaskfoldError } from "../../errors.ts";
import type { ProofModes } from "../../state/proof_modes.ts";
import type { CliResult, Human } from "./cli_result.ts";
import type { Session } from "./session.ts";
import type { StepOptions } from "./step_options.ts";
import { safeLine } from "./text/safe_text.ts";
import { given, write } from "./write.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface AddOptions {
  plan?: string;
  dependsOn?: string[];
  priority?: string;
  tag?: string[];
  description?: string;
  contract?: string;
  proof?: ProofModes;
  id?: string;
  ordered?: boolean;
  completeWhenDone?: boolean;
}

export async function add(
  session: Session,
  kind: "plan" | "task",
  words: readonly string[],
  { plan, dependsOn, tag, completeWhenDone, ...same }: AddOptions,
  steps?: StepOptions,
): Promise<CliResult> {
  const title = words.length > 0 ? words.join(" ") : await askedTitle(session, kind);
  const made = steps?.of(title) ?? [];
  if (same.ordered && made.length === 0)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a --step for --ordered, found none: it orders the steps of this call.",
      remedy`${TASKFOLD} add "Write the parser" --ordered --step Read --step Write makes two; ${TASKFOLD} edit adds more.`,
    );
  const input = {
    kind,
    title,
    parent: session.meant(plan, "plan"),
    depends_on: dependsOn?.map((id) => session.meant(id)),
    tags: tag,
    complete_when_done: completeWhenDone,
    ...same,
    steps: made.length === 0 ? undefined : made,
  };
  return withFolder(session, await write(session, "tasks_create", given(input)));
}

/** Also tells people which folder was made, from where they are. */
function withFolder(session: Session, outcome: CliResult): CliResult {
  const { id } = ((outcome.json as Reply).result ?? {}) as { id?: string };
  if (id === undefined || session.quiet) return outcome;
  const folder = relative(session.io.cwd, join(session.root, ".coco/tasks", id));
  const human = (): Human => {
    const { out, err } = outcome.human();
    return { out: `${out}  Folder: ${safeLine(folder)}\n`, err };
  };
  return { ...outcome, human };
}

async function askedTitle({ io, json }: Session, kind: string): Promise<string> {
  const title = json ? undefined : await io.ask?.(`Title of the ${kind}: `);
  if (title?.trim()) return title.trim();
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected the title of the ${kind}, found none.`,
    remedy`${TASKFOLD} ${kind === "plan" ? "plan add" : "add"} "Write the parser" makes one.`,
  );
}
