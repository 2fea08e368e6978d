/** Checks that the server makes beside everything else. Drift and findings change without a change of any log, so no event tells of them. */
import type { WorkspaceAnswer } from "../../../src/views/viewer/api.ts";
import { answerOf, refreshWhere } from "./answers.ts";
import { refreshBoard } from "./board.ts";
import { isAboutChecks, isCheck, names } from "./names.ts";
import { kind } from "./source.ts";

/** Milliseconds until the page asks again: while folders are still to be checked, and once all of them are. */
const PAUSE = { checking: 2000, checked: 10_000 };

export function followChecks(): void {
  if (kind !== "live") return;
  setTimeout(() => void follow(""), PAUSE.checking);
  // A reader may come back from an editor, with files changed that proof is about, or edit them beside the page.
  addEventListener("focus", () => refreshWhere(isCheck));
  setInterval(() => !document.hidden && refreshWhere(isCheck, "stay"), PAUSE.checked);
}

async function follow(before: string): Promise<void> {
  // A page that is out of sight, or has lost its server, asks later.
  const asked = document.hidden ? undefined : await answerOf(names.workspace).catch(() => undefined);
  const found = asked ? signOf(asked) : before;
  const isChecking = asked?.findings.complete === false;
  if (found !== before || isChecking) refreshWhere(isAboutChecks);
  if (found !== before) refreshWhere(isCheck);
  if (found !== before && !isChecking) refreshBoard();
  setTimeout(() => void follow(found), isChecking ? PAUSE.checking : PAUSE.checked);
}

function signOf({ findings, counts }: WorkspaceAnswer): string {
  return JSON.stringify([findings, counts.drift]);
}
