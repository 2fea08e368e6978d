/** Steps 3 and 7 of a read: catch up, answer. Takes no lock and changes no entity. */
import { TaskfoldError } from "../errors.ts";
import type { Suggestion, Warning } from "../errors.ts";
import type { Subject } from "../state/entity.ts";
import type { Tool } from "../tools/define.ts";
import type { DeltaPage, DeltaQuery } from "../views/delta.ts";
import { Delta } from "./delta.ts";
import type { Entities } from "./entities.ts";
import { readFocus } from "./focus.ts";
import type { Caller, Outcome } from "./job.ts";
import { pastOf } from "./past.ts";
import type { People } from "./people.ts";
import { stateAtInput } from "./state_at.ts";
import type { Store } from "./store.ts";
import type { TargetInput } from "./target.ts";
import { wantedTarget } from "./target.ts";
import type { World } from "./world.ts";

export interface Readable {
  readonly world: World;
  readonly store: Store;
  readonly entities: Entities;
}

export interface ReadCall {
  tool: Tool;
  input: Record<string, unknown>;
  workspace: string;
  caller: Caller;
}

export function readTool(from: Readable, people: People, call: ReadCall): Outcome {
  return call.tool.target === "workspace" ? readWorkspace(from, call) : readEntity(from, people, call);
}

function readWorkspace({ world, store, entities }: Readable, { tool, input, workspace, caller }: ReadCall): Outcome {
  const warnings: Warning[] = [];
  const listing = (): Subject[] => {
    const all = entities.listing(workspace);
    warnings.push(...all.warnings);
    return all.subjects;
  };
  const reader = new Delta(world, store, workspace);
  const delta = (query: DeltaQuery): DeltaPage => reader.page(query, wantedTarget(input as TargetInput));
  const context = contextOf(world, entities, workspace, caller);
  const answer = tool.reply(input as never, { ...context, subject: undefined as never, listing, delta, past: noPast });
  reader.keep(answer.result["cursor"]);
  return outcomeOf(answer, warnings);
}

function readEntity(from: Readable, people: People, { tool, input, workspace, caller }: ReadCall): Outcome {
  const { world, entities } = from;
  const wanted = entities.wanted(input, workspace, caller);
  const { handle, warnings, foreign, subject: present } = entities.find(workspace, wanted);
  const at = input["at"] as number | string | undefined;
  const subject = at === undefined ? present : stateAtInput(handle, workspace, at);
  const answer = tool.reply(input as never, {
    ...contextOf(world, entities, workspace, caller),
    subject,
    ...(wanted.from === "focus" ? { target_from: "focus" as const } : {}),
    listing: entities.around(workspace).listing,
    past: pastOf(handle, subject.entity),
    unread: () => (at === undefined && !foreign ? people.unread(handle) : []),
  });
  const outcome = outcomeOf(answer, warnings);
  // Nothing that writes would work on a folder without a log of ours.
  return foreign ? { ...outcome, suggestions: [] } : outcome;
}

function contextOf(world: World, { idOf }: Entities, workspace: string, caller: Caller) {
  const focus = readFocus(world, workspace, caller.by);
  return { workspace, by: caller.by, events: [], idOf, focus, focus_previous: focus };
}

/** For tools whose target is the workspace. */
export const noPast = (): never => {
  throw new TaskfoldError("INTERNAL", "Expected a tool about one entity to ask for its past.");
};

export function outcomeOf(
  answer: { result: Outcome["result"]; warnings?: Warning[]; suggestions?: Suggestion[] },
  warnings: Warning[],
): Outcome {
  return {
    result: answer.result,
    warnings: [...warnings, ...(answer.warnings ?? [])],
    suggestions: answer.suggestions ?? [],
  };
}
