/** `taskfold view`: the workspace in a browser, live or as files; reads and changes nothing in it (VIEWER rules). */
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { counted } from "../../state/counted.ts";
import type { SharedAccess } from "../../engine/shared/shared_access.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import type { JsonObject } from "../../index.ts";
import type { CliResult } from "./cli_result.ts";
import type { CommandLine } from "../../engine/viewer/status.ts";
import { sentences } from "./text/layout.ts";
import { command } from "./text/reply_text.ts";
import { OpeningPage } from "./opening_page.ts";
import { openWithSystem } from "./open_with_system.ts";
import { withProgress } from "./progress.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { gitOf } from "./session.ts";
import { watchPolling } from "./watch_polling.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Parts that an export left out and stderr names. */
const MAX_NAMED = 10;

export interface ViewCommand {
  port?: number;
  host?: string;
  open?: boolean;
  export?: string;
  task?: string;
}

export function view(session: Session, options: ViewCommand, version: string): Promise<CliResult> {
  if (options.export !== undefined) {
    const dir = folderOf(options);
    return withShared(session, async (shared) => {
      if (shared) await catchUp(session, shared, options.task);
      return exported(session, dir, options.task, version);
    });
  }
  if (options.task !== undefined)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected --export DIR beside --task, found none.",
      remedy`${TASKFOLD} view --export DIR --task ${shellQuote(options.task)}`,
    );
  return withShared(session, (shared) => served(session, options, version, shared));
}

/** Pages show what other machines write, where the workspace has a shared log. */
function withShared(session: Session, work: (shared?: SharedAccess) => Promise<CliResult>): Promise<CliResult> {
  return session.isShared ? session.within((workspace) => work(workspace.shared)) : work();
}

/** An export without a server holds what this machine has, and stderr says so. */
async function catchUp(session: Session, shared: SharedAccess, task: string | undefined): Promise<void> {
  try {
    await shared.sync();
    await shared.fetch(session.meant(task));
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    say(session, `the export holds what this machine has. ${e.message}`);
  }
}

function say({ io, errColumns }: Session, message: string): void {
  io.stderr(`${sentences(`taskfold view: ${safeLine(message)}`, errColumns)}\n`);
}

/** An export serves nothing: an option of the server beside it is a mistake. An empty text is a variable that is not set. */
function folderOf({ export: dir = "", port, host, open }: ViewCommand): string {
  const others = [port !== undefined && "--port", host !== undefined && "--host", open === true && "--open"];
  const given = others.filter((one) => one !== false);
  if (given.length > 0)
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected no ${given.join(", ")} beside --export, which serves nothing.`,
      remedy`${TASKFOLD} view --export ${shellQuote(dir || "DIR")}`,
    );
  if (dir === "")
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a folder behind --export, found an empty text.",
      remedy`${TASKFOLD} view --export DIR`,
    );
  return dir;
}

async function served(
  session: Session,
  options: ViewCommand,
  version: string,
  shared: SharedAccess | undefined,
): Promise<CliResult> {
  const { io } = session;
  const { host = "127.0.0.1", port = 0 } = options;
  if (host === "")
    throw new TaskfoldError("INVALID_INPUT", "Expected a host behind --host, found an empty text.", {
      recovery: "Leave out --host for this machine alone.",
    });
  const root = session.workspaceRoot();
  const [{ serveViewer }, { isLoopback }] = await Promise.all([
    import("../view/serve.ts"),
    import("../view/access.ts"),
  ]);
  const log = (message: string): void => say(session, message);
  if (!isLoopback(host))
    log(
      `${host} is not this machine alone: other machines reach the server, and the address crosses the network unencrypted.`,
    );
  const { git } = await gitOf(root);
  const polling = watchPolling(io.env);
  const asked = { by: await session.by(), commandLine: commandLineOf(session) };
  const serving = await serveViewer({ root, version, host, port, log, shared, polling, git, ...asked });
  const interruption = io.interruption?.();
  try {
    const { address } = serving;
    const reply = okReply("view", { address, host, port: serving.port }, [], []);
    io.stdout(session.json ? `${JSON.stringify(reply)}\n` : `${address}\n`);
    if (!session.json && !session.quiet)
      io.stderr(
        `${sentences("Ctrl-C ends it. The address alone lets a person read the workspace.", session.errColumns)}\n`,
      );
    const opened = options.open ? await openPage(address, log) : undefined;
    try {
      await ended([interruption?.signal, io.outputLost]);
    } finally {
      opened?.remove();
    }
  } finally {
    interruption?.end();
    await serving.close();
  }
  return { exit: EXIT.ok, json: {}, human: () => ({ out: "", err: "" }), silent: true };
}

/** The pages show each need with the command that ends it, as `status` prints it. */
function commandLineOf(session: Session): CommandLine {
  return ({ tool, input }, workspace) => command({ tool, args: input, reason: "" }, session, workspace);
}

/** The address is printed: where nothing opens it, a person does. */
async function openPage(address: string, log: (message: string) => void): Promise<OpeningPage | undefined> {
  let page: OpeningPage | undefined;
  try {
    page = new OpeningPage(address);
    if (!(await openWithSystem(page.path))) log("no program opens pages here: open the address in a browser.");
    return page;
  } catch (e) {
    page?.remove();
    if (!isTaskfoldError(e)) throw e;
    log(`${e.message} Open the address in a browser.`);
    return undefined;
  }
}

/** A server also ends where its address could not be printed, because no person can open it. */
function ended(signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of signals) {
      if (signal?.aborted) done();
      else signal?.addEventListener("abort", () => done(), { once: true });
    }
  });
}

async function exported(session: Session, dir: string, task: string | undefined, version: string): Promise<CliResult> {
  const root = session.workspaceRoot();
  const [{ Viewer }, { exportView }, { readPageFiles }] = await Promise.all([
    import("../../engine/open_viewer.ts"),
    import("../view/export_view.ts"),
    import("../view/page_files.ts"),
  ]);
  const viewer = new Viewer({ root, version, by: await session.by(), commandLine: commandLineOf(session) });
  try {
    const report = await withProgress(session, "export", (progress) =>
      exportView({
        viewer,
        pages: readPageFiles(),
        dir,
        from: session.io.cwd,
        only: session.meant(task),
        now: new Date().toISOString(),
        progress,
      }),
    );
    session.changed();
    const left = [
      ...(report.without_past > 0 ? [`${counted(report.without_past, "entity", "entities")} without their past`] : []),
      ...(report.cut_past > 0
        ? [`${counted(report.cut_past, "entity", "entities")} with the newest part of their past`]
        : []),
      ...(report.without_output > 0 ? [`${counted(report.without_output, "output")} left out`] : []),
    ];
    const named = report.left_out.slice(0, MAX_NAMED);
    for (const { id, what, message } of named)
      say(session, what === "entity" ? `${id} is left out. ${message}` : `an output of ${id} is left out. ${message}`);
    const more = report.left_out.length - named.length;
    if (more > 0) say(session, `${more} more are left out; --json names all of them.`);
    const sum = `${counted(report.files, "file")}, ${report.bytes} bytes${left.map((one) => `; ${one}`).join("")}`;
    return {
      exit: EXIT.ok,
      json: okReply("view", { ...report } as unknown as JsonObject, [], []),
      human: () => ({ out: `${safeLine(`${report.path}/${report.page}`)}\n`, err: session.quiet ? "" : `${sum}\n` }),
    };
  } finally {
    viewer.close();
  }
}
