/** Where a need is seen: its step, or the tab of its task that has it. */
import type { NeedItem } from "../../../src/views/viewer/api.ts";
import type { Query } from "../address_text.ts";
import { hrefOf } from "../address_text.ts";

const TABS: Partial<Record<NeedItem["what"], string>> = { proof: "evidence", drift: "check", note: "notes" };

export function placeOf({ what, task, path }: Pick<NeedItem, "what" | "task" | "path">): string {
  const query: Query = path === null ? { tab: TABS[what] } : { step: path };
  return hrefOf("task", task, query);
}
