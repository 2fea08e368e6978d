/** `taskfold list`: the whole workspace, however many rows that is. */
import { wholeContext } from "../../tools/tasks_context.ts";
import type { ListOptions } from "./list_filters.ts";
import type { CliResult } from "./cli_result.ts";
import { reading } from "./read.ts";
import { outcomeOf } from "./text/reply_text.ts";
import type { Session } from "./session.ts";

export function list(session: Session, { archived, ...filters }: ListOptions = {}): Promise<CliResult> {
  const asked = archived ? { archived } : {};
  if (Object.keys(filters).length === 0)
    return reading(session, async (call, workspace) => {
      const reply = await call(wholeContext, asked);
      const outcome = outcomeOf(session, workspace, reply);
      const isEmptyArchive = archived && !session.quiet && reply.success && reply.result["archived"] === 0;
      if (!isEmptyArchive) return outcome;
      return { ...outcome, human: () => ({ out: "Nothing is archived.\n", err: outcome.human().err }) };
    });
  const plan = session.planMeant(filters.plan);
  return reading(session, async (call, workspace) => {
    const reply = await workspace.fromOneLook(async () => {
      const whole = await call(wholeContext, asked);
      if (whole.result === null) return whole;
      const { filtered, idsWanted } = await import("./list_filters.ts");
      const ids = await idsWanted(call, filters, await session.by());
      await filtered(whole.result, { ...filters, ...(plan === undefined ? {} : { plan }) }, ids);
      return whole;
    });
    return outcomeOf(session, workspace, reply);
  });
}
