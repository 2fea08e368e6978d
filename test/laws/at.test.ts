/** What is answered for a moment of the past is what was answered then. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";
import { START, WORKSPACE } from "../support/workspace.ts";

const VIEWS = ["tasks_radar", "tasks_handoff"] as const;

/** Who was asked about, when, and what the answer was. */
interface Answer {
  view: string;
  target: string;
  revision: number;
  /** Event that this moment is named by as well. */
  event: string | undefined;
  result: JsonObject;
}

/** What an answer says by the log of its target alone. A plan's present answer tells of its tasks, one of the past does not (VIEW-81, STEP-70). */
function ofLog(result: JsonObject): unknown {
  if ((result["target"] as { kind: string }).kind === "task") return result;
  const { at, focus } = result;
  const { status: _followsTasks, ...target } = result["target"] as JsonObject;
  const { now, why } = (result["radar"] ?? {}) as JsonObject;
  return { at, target, focus, now, why };
}

describe("laws of the past", () => {
  it("[UNDO-10] radar and handoff `at` a revision or an event are what they were at that time", SWEEP, async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(anyWork(30), (numbers) =>
        inTempFolder(async (root) => {
          // The clock stands: no claim ends between two looks at one state.
          const work = new RandomWork(root, "a", { now: () => START });
          const ask = (view: string, input: object): Promise<Reply> =>
            work.ws.callTool(view, { workspace: WORKSPACE, ...input });
          const told: Answer[] = [];
          for (const n of numbers) {
            let event: string | undefined;
            await work.do([n], (reply) => {
              const events = (reply.result?.["events"] ?? []) as { event_id: string }[];
              event = events.at(-1)?.event_id;
            });
            for (const target of work.calls.entities.keys()) {
              for (const view of VIEWS) {
                const { result } = await ask(view, { target });
                const { revision } = result!["target"] as { revision: number };
                if (told.some((t) => t.view === view && t.target === target && t.revision === revision)) continue;
                told.push({ view, target, revision, event, result: result! });
              }
            }
          }
          for (const { view, target, revision, event, result } of told) {
            if (!work.calls.entities.has(target)) continue;
            for (const at of event === undefined ? [revision] : [revision, event]) {
              const then = (await ask(view, { target, at })).result!;
              expect(ofLog(then)).toEqual(ofLog({ ...result, at }));
              asked++;
            }
          }
          await work.ws.close();
        }),
      ),
      runsOf(12),
    );
    expect(asked).toBeGreaterThanOrEqual(sized(0, 101));
  });
});
