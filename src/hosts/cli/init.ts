/** `taskfold init`: binds a folder and says what to commit (CLI-10). */
import { dirname, join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { IdStyle } from "../../engine/core/id_style.ts";
import type { LockKind } from "../../engine/locks/machine_locks.ts";
import { nodeDisks } from "../../disks.ts";
import { attributeFindingsAt } from "../../engine/repair/verify_attributes.ts";
import { openGit } from "../git/git_port.ts";
import { addCommand, committable, refuseGitFolder } from "../git/never_committed.ts";
import type { Committable } from "../git/never_committed.ts";
import { checkWorkspaceId } from "../../engine/entity/binding.ts";
import { OVERVIEW } from "../../engine/projection/overview.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { printProofModes } from "../../state/proof_modes.ts";
import type { ProofModes } from "../../state/proof_modes.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import type { CliResult } from "./cli_result.ts";
import type { InitAnswers } from "./init_questions.ts";
import { nearestThere } from "./nearest_there.ts";
import { box } from "./text/box.ts";
import { sentences } from "./text/layout.ts";
import type { Session } from "./session.ts";
import { workspaceAbove } from "./session.ts";
import { deriveWorkspaceId, remoteOrigin } from "./workspace_id.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

interface InitOptions {
  workspace?: string;
  ids?: IdStyle;
  lock?: LockKind;
  overview?: boolean;
  proof?: ProofModes;
  rename?: string;
  /** Asks nothing on a terminal. */
  yes?: boolean;
}

/** Committed with the work: the merge rules for logs only count where this is in the tree. */
const COMMIT = [".coco/workspace.yaml", ".coco/.gitignore", ".coco/.gitattributes"];
/** Files that a task has, or gets with its first run: a rule that hides one of them hides proof from those who clone. */
const OF_A_TASK = [
  "events.jsonl",
  "task.yaml",
  "README.md",
  "shared/human-notes.md",
  "shared/evidence/index.json",
  "shared/evidence/blobs/0",
].map((name) => `.coco/tasks/TASK-001/${name}`);

export async function init(session: Session, given: InitOptions): Promise<CliResult> {
  const options = { ...given };
  const root = options.rename === undefined ? session.hereOrNew : session.here;
  if (nodeDisk.lstat(join(root, ".coco"))?.kind === "file")
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected no file .coco in this folder, because the workspace is a folder of that name.",
      {
        recovery: "Move the file away, or name another folder with -C.",
      },
    );
  const { rename } = options;
  if (rename !== undefined) return renamed(session, root, rename, options);
  const isNew = nodeDisk.lstat(join(root, ".coco/workspace.yaml")) === undefined;
  if (isNew) refuseGitFolder(nearestThere(root).path);
  const answers = isNew && !options.yes ? await asked(session, root, options) : undefined;
  if (answers) Object.assign(options, { workspace: answers.workspace, ids: answers.ids, proof: answers.proof });
  const made = await session.within(
    async (workspace) => {
      const { id: known } = workspace;
      if (options.workspace !== undefined) checkWorkspaceId(options.workspace);
      if (known !== undefined && options.workspace !== undefined && options.workspace !== known)
        throw otherId(known, options.workspace);
      const id = options.workspace ?? workspace.id ?? deriveWorkspaceId(root).id;
      const bound = await workspace.init(id, {
        overview: options.overview ?? false,
        ...(options.proof === undefined ? {} : { proof: options.proof }),
      });
      if (bound.created || options.overview || options.proof) session.changed();
      const files = bound.overview ? [...COMMIT, OVERVIEW] : COMMIT;
      const treated = committable(root, [...files, ...OF_A_TASK]);
      const hints = [
        ...(bound.created ? placeHints(root, treated) : []),
        ...hintsOf(root, bound, options.ids),
        ...lockHints(bound.lock, options.lock),
        ...attributeFindingsAt(nodeDisks(), root, openGit(root)).map(({ message }) => message),
        ...treated.hints,
      ];
      const first = bound.created
        ? `Bound to ${bound.workspace}; ids are ${bound.ids}. To change the workspace id later: ${session.program} init --rename ID`
        : `Was bound to ${bound.workspace} already; ${doneOf(options)}.`;
      const commit = `Commit these before you branch: ${addCommand(files, treated)}`;
      return {
        exit: EXIT.ok,
        json: okReply("init", { ...bound, commit: files, hints }, [], []),
        human: () => {
          const hintText = sentences(hints.map((hint) => `Hint: ${hint}\n`).join(""), session.columns);
          return { out: session.quiet ? "" : `${sentences(first, session.columns)}\n${commit}\n${hintText}`, err: "" };
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
  return answers ? together(session, root, made, answers) : made;
}

/** Undefined where there is no person to ask. */
async function asked(session: Session, root: string, options: InitOptions): Promise<InitAnswers | undefined> {
  if (!session.io.ask || session.json || session.quiet) return undefined;
  const { workspace, ids, proof } = options;
  if (workspace !== undefined) checkWorkspaceId(workspace);
  return (await import("./init_questions.ts")).askedForInit(session, root, {
    ...(workspace === undefined ? {} : { workspace }),
    ...(ids === undefined ? {} : { ids }),
    ...(proof === undefined ? {} : { proof }),
  });
}

/** Does what was asked for beside, and tells all of it at a glance. The workspace stays if a part fails. */
async function together(session: Session, root: string, made: CliResult, answers: InitAnswers): Promise<CliResult> {
  const { workspace, ids, proof, clients, completion, driver } = answers;
  const { commit, hints } = (made.json as { result: { commit: string[]; hints: string[] } }).result;
  const changed: string[] = [];
  const done = [
    `Workspace ${workspace}, ids ${ids === "suffixed" ? "with a suffix (TASK-001-k3f9)" : "by number (TASK-001)"}.`,
    proof === undefined
      ? "Steps need no proof unless one asks for it."
      : `New steps need proof: ${printProofModes(proof)}.`,
  ];
  if (clients.length > 0)
    done.push(
      await doneOrWhyNot("Clients of agents", async () => {
        const { json } = await (await import("./onboard.ts")).onboard(session, { client: [...clients], yes: true });
        const { files, notes } = (json as { result: { files: { path: string }[]; notes: string[] } }).result;
        changed.push(...files.map(({ path }) => path));
        return [`Clients ${clients.join(", ")}: ${files.map(({ path }) => path).join(", ")}.`, ...notes].join(" ");
      }),
    );
  if (completion !== undefined)
    done.push(
      await doneOrWhyNot("Completion", async () =>
        (await import("./init_questions.ts")).setUpCompletion(completion, session.io.env["HOME"]),
      ),
    );
  if (driver)
    done.push(
      await doneOrWhyNot("Merge driver", async () => {
        await (await import("./git/install.ts")).install(session, {});
        return "Merge driver: in place for this clone.";
      }),
    );
  const files = [...commit, ...changed];
  const next = [
    addCommand(files, committable(root, files)),
    `${session.program} add "A first task" --step "A first step" --test "npm test"`,
    `${session.program} status`,
  ];
  const out = [
    box(done, session.columns ?? 80),
    ...hints.map((hint) => `${sentences(`Hint: ${hint}`, session.columns)}\n`),
    "Next:\n",
    ...next.map((line) => `  ${line}\n`),
  ].join("");
  return { ...made, human: () => ({ out, err: "" }) };
}

/** The sentence of what was done, or why it was not. */
async function doneOrWhyNot(what: string, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (e) {
    if (!(e instanceof Error)) throw e;
    return `${what}: not done. ${e.message}`;
  }
}

function doneOf({ overview, proof }: InitOptions): string {
  const done = [
    ...(overview ? ["the overview is on"] : []),
    ...(proof ? [`new steps get the proof modes ${printProofModes(proof)}`] : []),
  ];
  return done.length === 0 ? "nothing changed" : done.join(", ");
}

function otherId(known: string, wanted: string): TaskfoldError {
  return new TaskfoldError(
    "WORKSPACE_MISMATCH",
    `Expected workspace ${JSON.stringify(known)}, to which this folder is bound; found ${JSON.stringify(wanted)}.`,
    { ...remedy`${TASKFOLD} init --rename ${shellQuote(wanted)} gives it that id.`, details: { known: [known] } },
  );
}

/** Other options make a workspace, and this one has been made. */
function renamed(session: Session, root: string, to: string, options: InitOptions): Promise<CliResult> {
  const others = [options.workspace, options.ids, options.lock, options.overview, options.proof].filter(
    (one) => one !== undefined,
  );
  if (others.length > 0)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected --rename without another option of init, found more.",
      remedy`${TASKFOLD} init --rename ${shellQuote(to)}`,
    );
  return session.within(
    async (workspace) => {
      const renamed = await workspace.repair.rename(to);
      if (renamed.from !== renamed.workspace) session.changed();
      const hints = [
        `calls that name the old id are refused from now on. Change it in the entries of MCP clients such as .mcp.json, in TASKFOLD_WORKSPACE and in scripts; ${session.program} onboard changes AGENTS.md. Start running servers again.`,
      ];
      const first =
        renamed.from === renamed.workspace
          ? `The workspace is ${renamed.workspace} already; nothing changed.`
          : `The workspace was ${renamed.from} and is ${renamed.workspace} now. No log changed.`;
      const commit = "Commit it: git add .coco/workspace.yaml";
      return {
        exit: EXIT.ok,
        json: okReply("init", { ...renamed, commit: [COMMIT[0]!], hints }, [], []),
        human: () => {
          const hintText = sentences(hints.map((hint) => `Hint: ${hint}\n`).join(""), session.columns);
          return { out: session.quiet ? "" : `${sentences(first, session.columns)}\n${commit}\n${hintText}`, err: "" };
        },
      };
    },
    { root },
  );
}

/**
 * A second workspace below another one is seldom meant: every command would have worked there. Where there is no other, a person who stands in a sub
 * folder may have meant the whole repository.
 */
function placeHints(root: string, { top }: Committable): string[] {
  const above = workspaceAbove(dirname(root));
  if (above !== undefined)
    return [
      `${above} is a workspace already, and its commands work in this folder, too. If you meant that one, remove ${join(root, ".coco")}.`,
    ];
  return top === undefined
    ? []
    : [
        `this folder lies below the top of its repository, and commands find the workspace from here on down alone. If you meant all of ${top}, remove .coco here and run init there.`,
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
