/** The packet of a review after the implementation, from what the review is about (PACKET-212). */
import type { JsonObject } from "../../state/schema.ts";
import { oneLine } from "../phrase.ts";
import { packCommands } from "./hand_off.ts";

/** Six paid stages, and one more try of each. */
const PAID_CALLS = 12;
const RETRIES = 2;
const WALLCLOCK_SEC = 900;
const GOAL = 200;

/** A review may propose changes anywhere below the root, where its caller names no paths. */
const ALLOWED = ["."];

export interface ReviewInput {
  context_pack: string;
  impl_report: string;
  goal?: string;
  allow?: readonly string[];
}

export function reviewManifest({ context_pack, goal, allow }: ReviewInput): JsonObject {
  return {
    goal: goal ?? goalOf(context_pack),
    routing: { intent: "post_impl_review" },
    scope: { allow: [...(allow ?? ALLOWED)], deny: [] },
    acceptance: {
      commands: packCommands(context_pack),
      criteria: ["Each stage of the review left its artifact."],
    },
    budgets: { retry_budget: RETRIES, paid_call_budget: PAID_CALLS, max_wallclock_sec: WALLCLOCK_SEC },
    context: { digest_policy: "off" },
  };
}

export function reviewInputs({ context_pack, impl_report }: ReviewInput): Record<string, string> {
  return {
    "user_request.md":
      "Review the implementation that attachments/impl_report.md reports, against the context pack. Change no file.\n",
    "context_pack.md": context_pack,
    "attachments/impl_report.md": impl_report,
  };
}

/** The first line of text below the pack's goal, else its title. */
function goalOf(pack: string): string {
  const lines = pack.split(/\r\n|\n|\r/).map((line) => line.trim());
  const at = lines.findIndex((line) => /^#{1,3} +(?:\d+[.)] *)?goal\b/i.test(line));
  const below = at < 0 ? undefined : lines.slice(at + 1).find((line) => line !== "");
  const text = below !== undefined && !below.startsWith("#") ? below : lines.find((line) => line.startsWith("# "));
  const named = oneLine((text ?? "").replace(/^#+ */, ""), GOAL);
  return named === "" ? "Review the implementation" : `Review the implementation: ${named}`;
}
