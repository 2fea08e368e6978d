/** The question to git about a change that the notification file marks and the work tree lacks, and the answer in words. */
import { isTaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { AcknowledgedChange } from "../core/change_notifications.ts";
import type { GitHeld, GitPort, HeldText } from "../core/git_port.ts";
import { PARTS } from "../core/sparse_checkout.ts";

/** As a line of a log has its own hash. */
export function lineText({ hash }: Pick<AcknowledgedChange, "hash">): string {
  return `"hash":"${hash}"`;
}

/** Live or archived: a commit may have the task where it was then. */
export function textOf(id: string, change: Pick<AcknowledgedChange, "hash">): HeldText {
  return { paths: PARTS.map((part) => `.coco/${part}/${id}/${LOG_FILE}`), text: lineText(change) };
}

/** Null for each where the repository is out of order, or too large to be asked. */
export function answersOf(
  git: GitPort,
  texts: readonly HeldText[],
  options?: { unreachable?: boolean },
): (GitHeld | undefined | null)[] {
  try {
    return git.heldBy(texts, options);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return texts.map(() => null);
  }
}

export function holderText({ holder, name }: GitHeld): string {
  if (holder === "branch") return "a branch or a tag";
  if (holder === "stash") return name;
  return `${holder} ${name}, to which no branch leads,`;
}

/** Whether it has to be told that the work tree lacks it: no branch has it, nor may one have had it. */
export function isLoss(held: GitHeld | undefined): boolean {
  return held?.holder !== "branch" && held?.isCut !== true;
}
