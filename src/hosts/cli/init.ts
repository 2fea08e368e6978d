/** `taskfold init`: binds a folder and says what to commit (CLI-10, CLI-11). */
import { dirname, join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { IdStyle } from "../../engine/core/id_style.ts";
import type { LockKind } from "../../engine/locks/machine_locks.ts";
import { attributeFindingsAt } from "../../engine/repair/verify_attributes.ts";
import { openGit } from "../git/git_port.ts";
import { OVERVIEW } from "../../engine/projection/overview.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import type { CliResult } from "./cli_result.ts";
import { sentences } from "./text/layout.ts";
import type { Session } from "./session.ts";
import { workspaceAbove } from "./session.ts";
import { deriveWorkspaceId, remoteOrigin } from "./workspace_id.ts";

interface InitOptions {
  workspace?: string;
  ids?: IdStyle;
  lock?: LockKind;
  overview?: boolean;
}

/** Committed with the work: the merge rules for logs only count where this is in the tree. */
const COMMIT = [".coco/workspace.yaml", ".coco/.gitignore", ".coco/.gitattributes"];

export function init(session: Session, options: InitOptions): Promise<CliResult> {
  const root = session.here;
  if (nodeDisk.lstat(join(root, ".coco"))?.kind === "file")
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected no file .coco in this folder, because the workspace is a folder of that name.",
      {
        recovery: "Move the file away, or name another folder with -C.",
      },
    );
  return session.within(
    async (workspace) => {
      const id = options.workspace ?? workspace.id ?? deriveWorkspaceId(root).id;
      const bound = await workspace.init(id, { overview: options.overview ?? false });
      if (bound.created || options.overview) session.changed();
      const files = bound.overview ? [...COMMIT, OVERVIEW] : COMMIT;
      const hints = [
        ...aboveHints(root, bound.created),
        ...hintsOf(root, bound, options.ids),
        ...lockHints(bound.lock, options.lock),
        ...attributeFindingsAt(root, openGit(root)).map(({ message }) => message),
      ];
      const first = bound.created
        ? `Bound to ${bound.workspace}; ids are ${bound.ids}.`
        : `Was bound to ${bound.workspace} already; ${options.overview ? "the overview is on" : "nothing changed"}.`;
      const commit = `Commit these before you branch: git add ${files.join(" ")}`;
      return {
        exit: EXIT.ok,
        json: okReply("init", { ...bound, commit: files, hints }, [], []),
        human: () => {
          const said = sentences(hints.map((hint) => `Hint: ${hint}\n`).join(""), session.columns);
          return { out: session.quiet ? "" : `${sentences(first, session.columns)}\n${commit}\n${said}`, err: "" };
        },
      };
    },
    {
      root,
      anywhere: true,
      ...(options.ids === undefined ? {} : { ids: options.ids }),
      ...(options.lock === undefined ? {} : { lock: options.lock }),
    },
  );
}

/** A second workspace below another one is seldom meant: every command would have worked there. */
function aboveHints(root: string, created: boolean): string[] {
  const above = created ? workspaceAbove(dirname(root)) : undefined;
  return above === undefined
    ? []
    : [
        `${above} is a workspace already, and its commands work in this folder, too. If you meant that one, remove ${join(root, ".coco")}.`,
      ];
}

function hintsOf(root: string, bound: { ids: IdStyle; created: boolean }, asked: IdStyle | undefined): string[] {
  if (asked !== undefined && asked !== bound.ids) {
    return [
      `ids stay ${bound.ids}, as chosen before; to change them, edit .coco/workspace.yaml before the first task.`,
    ];
  }
  if (!bound.created || asked !== undefined || remoteOrigin(root) === undefined) return [];
  return [
    "this repository is shared, and two branches that each make a task would both call it TASK-001. With `ids: suffixed` in .coco/workspace.yaml (or init --ids suffixed at first) they never do.",
  ];
}

function lockHints(used: string, asked: LockKind | undefined): string[] {
  if (asked === undefined || asked === used) return [];
  return [
    `locks stay of kind ${used}, as chosen before on this machine; to change it, end every process that writes here, then remove .coco/locks/kind.`,
  ];
}
