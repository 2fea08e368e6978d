/** `taskfold shared`: the log that several machines share (SHARED rules). */
import { okReply } from "../../engine/entity/reply.ts";
import type { SharedAccess, SharedComparison, SharedStatus } from "../../engine/shared/shared_access.ts";
import { EXIT } from "../../errors.ts";
import { counted } from "../../state/counted.ts";
import type { CliResult } from "./cli_result.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";

interface InitOptions {
  workspace?: string;
  replicas?: number;
}

export function init(session: Session, { workspace: id, replicas }: InitOptions): Promise<CliResult> {
  return session.within(
    async (workspace) => {
      const named = id ?? (await session.workspaceId(workspace));
      const status = await workspace.shared.init(named);
      session.changed();
      return statusResult(session, "init", named, status);
    },
    { root: session.here, anywhere: true, shared: session.neededShared(replicas) },
  );
}

export function status(session: Session): Promise<CliResult> {
  return asked(session, async (shared, id) => statusResult(session, "status", id, await shared.status()));
}

export function sync(session: Session, { blobs = false }: { blobs?: boolean }): Promise<CliResult> {
  return asked(session, async (shared, id) =>
    statusResult(session, "sync", id, await shared.sync(undefined, blobs ? { blobs: "all" } : {})),
  );
}

export function verify(session: Session, { restore = false }: { restore?: boolean }): Promise<CliResult> {
  return asked(session, async (shared) => comparisonResult(await shared.verify(undefined, { restore })));
}

export function leave(session: Session): Promise<CliResult> {
  return asked(session, async (shared) => {
    await shared.leave();
    session.changed();
    const text = "This machine counts no messages any more. Files and shared log stay as they are.\n";
    return { exit: EXIT.ok, json: okReply("shared leave", {}, [], []), human: () => ({ out: text, err: "" }) };
  });
}

function asked(
  session: Session,
  work: (shared: SharedAccess, workspace: string) => Promise<CliResult>,
): Promise<CliResult> {
  return session.within(async (workspace) => work(workspace.shared, await session.workspaceId(workspace)), {
    shared: session.neededShared(),
  });
}

/** Names the workspace: another name means another shared log, and the machine is alone on it. */
function statusResult({ program }: Session, command: string, workspace: string, status: SharedStatus): CliResult {
  const { blobs, ...numbers } = status;
  const { address, mode, last, taken_in: taken, lacking, trouble } = numbers;
  const lines = [
    `${workspace}, ${mode} over ${address}: this machine has ${taken} of ${last} messages.`,
    lacking.length === 0
      ? "Every plan and task is in step."
      : `Not in step: ${lacking.join(", ")}. ${program} shared sync publishes what is here.`,
    ...(trouble ? [`${trouble.code}: ${trouble.message} Work goes on, and is published later.`] : []),
    ...(blobs ? [`Of files that events name, fetched ${blobs.fetched} and published ${blobs.published}.`] : []),
    ...(blobs?.lacking ?? []).map(({ id, path }) => `The shared log lacks ${path} of ${id}.`),
  ];
  const blobFields = blobs ? { blobs: { ...blobs, lacking: blobs.lacking.map((one) => ({ ...one })) } } : {};
  const isWhole = (blobs?.lacking.length ?? 0) === 0;
  return {
    exit: isWhole ? EXIT.ok : EXIT.refused,
    json: okReply(`shared ${command}`, { workspace, ...numbers, ...blobFields }, [], []),
    human: () => ({ out: `${lines.map(safeLine).join("\n")}\n`, err: "" }),
  };
}

function comparisonResult(comparison: SharedComparison): CliResult {
  const { findings, ...numbers } = comparison;
  const { messages, entities, files, restored } = numbers;
  const lines = findings.map(({ code, id, message }) => `${code} ${id === null ? "" : `${id}: `}${message}`);
  const last = `${findings.length === 0 ? "Clean" : "Found differences"}: ${messages} messages about ${entities} plans and tasks, and ${counted(files, "file")} that they name.`;
  const restoredLines = restored > 0 ? [`Put ${counted(restored, "file")} of this machine into the object store.`] : [];
  return {
    exit: findings.length === 0 ? EXIT.ok : EXIT.refused,
    json: okReply("shared verify", { ...numbers, findings: findings.map((one) => ({ ...one })) }, [], []),
    human: () => ({ out: `${[...lines, ...restoredLines, last].map(safeLine).join("\n")}\n`, err: "" }),
  };
}
