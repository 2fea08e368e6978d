/** Calls that a refusal offers, made on a copy of the workspace, with its placeholders filled in (TOOL-9). */
import { cpSync } from "node:fs";
import type { Suggestion } from "../../src/errors.ts";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { openWorkspace } from "./open.ts";
import { UNSYNCED } from "./random_work.ts";
import { inTempFolder } from "./temp.ts";
import { counting } from "./workspace.ts";

/** What a caller writes in place of `<fill: ...>`. */
export function filled(args: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(args).replaceAll(/<fill:[^>]*>/g, "what is so")) as Record<string, unknown>;
}

/** The offered calls that are refused, each as the refused caller would make it. */
export async function failing(root: string, now: () => number, by: string, offered: readonly Suggestion[]) {
  const failed: { suggestion: Suggestion; error: Reply["error"] }[] = [];
  for (const suggestion of offered) {
    const { error } = await inTempFolder(async (folder) => {
      cpSync(root, folder, { recursive: true });
      const newId = counting("offered");
      const ws = openWorkspace({ root: folder, durability: "os", disk: UNSYNCED, now, newId });
      const reply = await ws.callTool(suggestion.tool as string, filled(suggestion.args) as never, { by });
      await ws.close();
      return reply;
    });
    if (error) failed.push({ suggestion, error });
  }
  return failed;
}
