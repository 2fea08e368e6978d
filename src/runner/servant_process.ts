/** The built-in executor: a stage is a command in a process group of its own, and all that it prints goes to files. */
import { join, posix } from "node:path";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { readRegular, writeAtomic } from "../files/atomic.ts";
import { ensureFolderInside } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import type { GroupRequest, GroupResult, ProcessGroups, Runtime } from "../runtime.ts";
import { wholeSeconds } from "../runtime.ts";
import { STAGE_FILES } from "../state/packet.ts";
import type { PacketFile, StageFile } from "../state/packet.ts";
import { argvOf, findProgram } from "./argv.ts";
import type { Program } from "./argv.ts";
import { ExcerptOf } from "./excerpt.ts";
import { OutputFile } from "./output_file.ts";
import { RedactedStream } from "./redacted_stream.ts";
import { OUTPUT_BYTES } from "./stage_executor.ts";
import type { StageExecutor, StageRequest, StageRun } from "./stage_executor.ts";

/** A log of ours is short; one that is not is a fault. */
const LOG_BYTES = 16 * 1024 * 1024;

type StageOutputs = Record<StageFile, OutputFile>;

export interface ServantProcessOptions {
  /** The disk of the workspace: no link below the root is followed. */
  disk: Disk;
  runtime: Pick<Runtime, "now" | "groups">;
  /** Milliseconds since 1970: for the times that are written down, never for a limit. Default: those of the runtime. */
  now?: () => number;
}

export class ServantProcess implements StageExecutor {
  readonly #disk: Disk;
  readonly #groups: ProcessGroups;
  readonly #now: () => number;

  constructor({ disk, runtime, now = () => runtime.now() }: ServantProcessOptions) {
    this.#disk = disk;
    this.#groups = runtime.groups;
    this.#now = now;
  }

  async run(request: StageRequest, signal?: AbortSignal): Promise<StageRun> {
    signal?.throwIfAborted();
    checkRequest(this.#disk, request);
    const argv = argvOf(request);
    try {
      this.#placePrompt(request);
      const files = this.#openFiles(request);
      try {
        return await this.#runInto(files, request, argv, signal);
      } finally {
        for (const file of Object.values(files)) file.close();
      }
    } catch (e) {
      throw storageError(e, `keep the output of ${request.stage}`);
    }
  }

  async #runInto(files: StageOutputs, request: StageRequest, argv: string[], signal?: AbortSignal): Promise<StageRun> {
    const started = this.#now();
    const { redact } = request;
    const log = (sentence: string): void =>
      files["wrapper.log"].writeText(`${this.#clock()} ${redact ? redact(sentence) : sentence}\n`);
    const stderr = new ExcerptOf();
    const out = kept(redact, (chunk) => files.out.write(chunk));
    const err = kept(redact, (chunk) => {
      stderr.add(chunk);
      files.err.write(chunk);
    });
    const tellServant = (sentence: string): void => {
      stderr.add(Buffer.from(`taskfold: ${sentence}\n`));
      files.err.writeText(`taskfold: ${sentence}\n`);
    };
    files["compose.log"].writeText(request.compose_log);
    describe(request, argv, log);
    const program = findProgram(this.#disk, argv[0]!, request.cwd, request.environment["PATH"] ?? "");
    const ended = await this.#start(program, argv, request, {
      onStdout: (chunk) => out.add(chunk),
      onStderr: (chunk) => err.add(chunk),
      onGroup: request.onGroup,
      note: log,
      signal,
    });
    out.end();
    err.end();
    if (program.path === undefined) tellServant(program.sentence);
    else if (ended.not_started !== null) tellServant(`${program.sentence} Reason: ${ended.not_started}.`);
    else if ([126, 127].includes(ended.exit_code) && files.err.came === 0) tellServant(program.sentence);
    for (const name of ["out", "err"] as const) tellDropped(name, files[name], log);
    log(
      `It ended with exit code ${ended.exit_code}${ended.signal ? ` (${ended.signal})` : ""} after ${(ended.duration_ms / 1000).toFixed(3)} s.`,
    );
    return {
      exit_code: ended.exit_code,
      signal: ended.signal,
      timed_out: ended.timed_out,
      aborted: ended.aborted,
      truncated: files.out.dropped + files.err.dropped > 0,
      start: utcSeconds(started),
      end: utcSeconds(started + wholeSeconds(ended) * 1000),
      duration_sec: wholeSeconds(ended),
      files: await this.#complete(files, request),
      stderr: stderr.lines(),
    };
  }

  async #start(
    program: Program,
    argv: readonly string[],
    { prompt, task_dir, cwd, environment, limits }: StageRequest,
    listeners: Pick<GroupRequest, "onStdout" | "onStderr" | "onGroup" | "note" | "signal">,
  ): Promise<GroupResult> {
    if (program.path === undefined) return { ...NOTHING_RAN, exit_code: program.exit_code };
    // A descriptor of the file and no pipe: a servant may open /dev/stdin, or read nothing of it.
    const stdin = prompt.mode === "stdin" ? this.#disk.open(join(task_dir, prompt.path), "r") : undefined;
    try {
      return await this.#groups.run({
        argv: [program.path, ...argv.slice(1)],
        cwd,
        environment,
        wallclock_ms: limits.wallclock_sec * 1000,
        ...(stdin === undefined ? {} : { stdin }),
        ...listeners,
      });
    } finally {
      if (stdin !== undefined) this.#disk.close(stdin);
    }
  }

  /** The prompt on disk is what the servant reads. */
  #placePrompt({ prompt, task_dir }: StageRequest): void {
    const path = join(task_dir, prompt.path);
    const bytes = Buffer.from(prompt.text);
    this.#makeFolder(task_dir, prompt.path);
    if (readRegular(this.#disk, path, bytes.length)?.equals(bytes)) return;
    writeAtomic(this.#disk, path, bytes, { sync: true });
  }

  #openFiles({ task_dir, files, limits }: StageRequest): StageOutputs {
    const opened: Partial<StageOutputs> = {};
    try {
      for (const name of STAGE_FILES) {
        this.#makeFolder(task_dir, files[name]);
        const most = name === "out" || name === "err" ? (limits.output_bytes ?? OUTPUT_BYTES) : LOG_BYTES;
        opened[name] = new OutputFile(this.#disk, task_dir, files[name], most);
      }
      return opened as StageOutputs;
    } catch (e) {
      for (const file of Object.values(opened)) file.close();
      throw e;
    }
  }

  #makeFolder(task_dir: string, path: string): void {
    const folder = posix.dirname(path);
    if (folder === ".") return;
    for (const changed of ensureFolderInside(this.#disk, task_dir, folder)) this.#disk.syncFolder(changed);
  }

  /** All on disk before any has its name: an event may name them as soon as this returns. */
  async #complete(
    files: StageOutputs,
    { task_dir, files: paths, filesAtEnd, onEnded }: StageRequest,
  ): Promise<Record<StageFile, PacketFile>> {
    const synced = Promise.all(STAGE_FILES.map((name) => files[name].sync()));
    // The disk works on its own meanwhile.
    onEnded?.();
    await synced;
    const names = filesAtEnd?.() ?? paths;
    const complete = Object.fromEntries(STAGE_FILES.map((name) => [name, files[name].complete(names[name])]));
    for (const folder of new Set(STAGE_FILES.map((name) => posix.dirname(names[name]))))
      this.#disk.syncFolder(join(task_dir, folder));
    return complete as Record<StageFile, PacketFile>;
  }

  #clock(): string {
    return new Date(this.#now()).toISOString();
  }
}

/** Without rules to redact by, bytes go on as they come. */
function kept(redact: StageRequest["redact"], write: (chunk: Buffer) => void): Pick<RedactedStream, "add" | "end"> {
  return redact ? new RedactedStream(redact, write) : { add: write, end: () => undefined };
}

const NOTHING_RAN = { signal: null, timed_out: false, aborted: false, duration_ms: 0, not_started: null } as const;

function describe(request: StageRequest, argv: readonly string[], log: (sentence: string) => void): void {
  const { prompt, limits, environment } = request;
  // The prompt has a file of its own, and values of the environment are secrets.
  const shown = prompt.mode === "argument" ? [...argv.slice(0, -1), `<text of ${prompt.path}>`] : argv;
  log(`Stage ${request.stage}, model ${request.model}, prompt by ${prompt.mode} from ${prompt.path}.`);
  log(`Arguments: ${JSON.stringify(shown)}.`);
  log(`Environment: ${Object.keys(environment).toSorted().join(" ")}.`);
  log(`Limits: ${limits.wallclock_sec} s, ${limits.output_bytes ?? OUTPUT_BYTES} bytes of stdout and of stderr.`);
}

function tellDropped(name: StageFile, file: OutputFile, log: (sentence: string) => void): void {
  if (file.dropped > 0)
    log(`.${name} has the first ${file.came - file.dropped} of ${file.came} bytes; the rest was dropped.`);
}

function checkRequest(disk: Disk, { limits, files, prompt, cwd, environment }: StageRequest): void {
  const { wallclock_sec, output_bytes = OUTPUT_BYTES } = limits;
  if (!(Number.isFinite(wallclock_sec) && wallclock_sec > 0))
    throw invalid(`Expected wallclock_sec above 0, found ${wallclock_sec}.`, "Give a number of seconds, such as 600.");
  if (!(Number.isSafeInteger(output_bytes) && output_bytes >= 0))
    throw invalid(`Expected output_bytes as a whole number, found ${output_bytes}.`, "Give a number of bytes.");
  if (disk.outside.stat(cwd)?.kind !== "folder")
    throw invalid("Expected the working folder of the stage to be there, but it is not.", "Run it in the workspace.");
  const odd = Object.entries(environment).find(([name, value]) => /[=\0]|^$/.test(name) || value.includes("\0"));
  if (odd)
    throw invalid(`Expected names and values of the environment, found ${JSON.stringify(odd[0])}.`, "Leave it out.");
  for (const path of [prompt.path, ...Object.values(files)]) checkPath(path);
}

/** Of the task's folder, which may lie beside others below the root. */
function checkPath(path: string): void {
  if (path.split("/").every((name) => !/[\\\0]|^\.{0,2}$/.test(name))) return;
  throw new TaskfoldError(
    "PATH_UNSAFE",
    `Expected a path below the folder of the task, found ${JSON.stringify(path)}.`,
    {
      recovery: "Give a path such as outputs/codex_impl.codex.out.",
    },
  );
}

function invalid(message: string, recovery: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", message, { recovery });
}

function utcSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
