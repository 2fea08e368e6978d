/**
 * A log that went back together with its task.yaml is whole, and so are its files. The notification file alone knows that this machine acknowledged
 * more. A branch that was switched and an earlier commit that was checked out lost nothing. So git is asked who has the change, once for
 * each reading of the log that lacks it (VERIFY-100).
 */
import { isTaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { headDigest } from "../../log/canonical.ts";
import { MAX_HELD } from "../../log/limits.ts";
import type { LostEnd } from "../../state/entity.ts";
import type { AcknowledgedChange } from "../core/change_notifications.ts";
import type { EngineContext } from "../core/context.ts";
import type { GitHeld } from "../core/git_port.ts";
import { holderText, isLoss, lineText, textOf } from "./held_text.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Nothing is missing, or another branch has it. */
const NOTHING: WentBack = {};

interface WentBack {
  /** The change, where no commit has it. */
  end?: LostEnd;
  /** Tells of a commit that has it, to which no branch leads. */
  warning?: Warning;
}

/** `compared`: the highest revision of the marks that this reading of the log was compared with. */
const asked = new WeakMap<LoadedEntity, { loads: number; found: WentBack; compared: number }>();

/** `known`: ends that are missing by task.yaml or by the log. Call while holding the lock of the log, which is caught up. */
export function wentBack(
  { marks, git }: Pick<EngineContext, "marks" | "git">,
  loaded: LoadedEntity,
  known: readonly LostEnd[],
): WentBack {
  // Without git a branch looks like a loss.
  if (!git) return NOTHING;
  const before = asked.get(loaded);
  if (before?.loads === loaded.loads && before.found === NOTHING) return NOTHING;
  const all = marks.of(loaded.id).filter(({ root }) => loaded.entity?.root.startsWith(root));
  const found = all
    .filter((mark) => lacks(loaded, mark, known))
    .map((mark) => askedOf(git, loaded, mark))
    .find((one) => one !== NOTHING);
  asked.set(loaded, {
    loads: loaded.loads,
    found: found ?? NOTHING,
    compared: Math.max(0, ...all.map(({ revision }) => revision)),
  });
  return found ?? NOTHING;
}

/** Revision of the highest mark that this reading of a log was compared with. The mark of its next change takes the place of such marks. */
export function comparedUpTo(loaded: LoadedEntity): number {
  const last = asked.get(loaded);
  return last?.loads === loaded.loads ? last.compared : 0;
}

function lacks({ entity, report, log }: LoadedEntity, mark: AcknowledgedChange, known: readonly LostEnd[]): boolean {
  // While lines are missing in the middle, that says what is missing.
  if (report.held > 0 || report.heads.includes(mark.hash)) return false;
  const head = headDigest([mark.hash]);
  if ([...known, ...(entity?.lost_ends ?? [])].some((end) => end.head === head)) return false;
  return log.withSource((source) => {
    if (source.size() > MAX_HELD) return false;
    const bytes = Buffer.alloc(source.size());
    source.read(bytes, 0);
    return !bytes.includes(lineText(mark));
  });
}

function askedOf(git: NonNullable<EngineContext["git"]>, loaded: LoadedEntity, mark: AcknowledgedChange): WentBack {
  let held: GitHeld | undefined | null;
  try {
    held = git()?.heldBy([textOf(loaded.id, mark)])[0];
  } catch (e) {
    // A repository that is out of order, or too large to be asked.
    if (!isTaskfoldError(e)) throw e;
    return NOTHING;
  }
  if (held === null) return NOTHING;
  const { head: found, report } = loaded;
  if (held) return isLoss(held) ? elsewhere(loaded, mark, held) : NOTHING;
  const end = { head: headDigest([mark.hash]), revision: mark.revision, found, found_revision: report.ops };
  return { end: { ...end, accepted: false } };
}

function elsewhere({ id, report }: LoadedEntity, { hash, revision }: AcknowledgedChange, held: GitHeld): WentBack {
  const recovery =
    held.holder === "stash"
      ? remedy`Commit .coco, then git stash pop ${held.name} and ${TASKFOLD} resolve --stage bring it back.`
      : remedy`${TASKFOLD} resolve ${id} --git brings it back.`;
  const message = `Expected change ${revision} of ${id} (event ${hash}), which was acknowledged here; the log has ${report.ops} without it, and ${holderText(held)} has it.`;
  return { warning: { code: "LOG_TRUNCATED", message, ...recovery } };
}
