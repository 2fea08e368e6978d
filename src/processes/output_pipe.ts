/**
 * Pipes for the output of a command. Those that node makes are sockets: a command cannot open /dev/stderr on one, and each chunk that is
 * read of one takes new memory. These are pipes of the system, and all that comes out of one comes in the same buffer.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type { OnReadOpts, SocketConstructorOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, nodeDisk, openPipe } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { removeQuietly } from "../files/atomic.ts";
import { storageError } from "../files/storage_error.ts";

const CHUNK = 64 * 1024;

export class OutputPipe {
  /** For the command; closed by `started`. */
  readonly writer: number;
  readonly #reader: number;
  #socket: Socket | undefined;
  #writerOpen = true;

  constructor(path: string) {
    const { reader, writer } = openPipe(path);
    this.#reader = reader;
    this.writer = writer;
  }

  /** Bytes are valid during the call alone. Resolves when no process holds the other end any more, or after `destroy`. */
  read(take: (chunk: Buffer) => void, failed: (error: unknown) => void): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    const onread: OnReadOpts = {
      buffer,
      callback: (length) => {
        take(buffer.subarray(0, length));
        return true;
      },
    };
    // The types know `onread` of connections alone; the constructor takes it as well.
    const options: SocketConstructorOpts & { onread: OnReadOpts } = { fd: this.#reader, writable: false, onread };
    const socket = new Socket(options);
    this.#socket = socket;
    socket.on("error", failed);
    socket.resume();
    return new Promise((done) => socket.once("close", () => done()));
  }

  /** The command has its end by now; the end of the output would never come while this process has one, too. */
  started(): void {
    if (this.#writerOpen) nodeDisk.close(this.writer);
    this.#writerOpen = false;
  }

  destroy(): void {
    this.started();
    if (this.#socket) this.#socket.destroy();
    else nodeDisk.close(this.#reader);
  }
}

/** Pipes that one start of mkfifo makes: that start costs more than all else that a group needs of this process. */
const AT_ONCE = 8;
/** Pipes that no process was given yet. They have no names, so they end with this process. */
const ready: OutputPipe[] = [];

/** Two pipes, whose names are gone again: only who is given an end has one. */
export async function outputPipes(): Promise<[out: OutputPipe, err: OutputPipe]> {
  if (ready.length < 2) ready.push(...(await madePipes()));
  return [ready.pop()!, ready.pop()!];
}

async function madePipes(): Promise<OutputPipe[]> {
  let folder: string;
  try {
    folder = makePrivateFolder(join(tmpdir(), "taskfold-run-"));
  } catch (e) {
    throw storageError(e, "make a temporary folder");
  }
  const paths = Array.from({ length: AT_ONCE }, (_, n) => join(folder, String(n)));
  const made: OutputPipe[] = [];
  try {
    await makePipes(...paths);
    for (const path of paths) made.push(new OutputPipe(path));
    return made;
  } catch (e) {
    for (const pipe of made) pipe.destroy();
    throw e;
  } finally {
    for (const path of paths) removeQuietly(nodeDisk, path);
    nodeDisk.rmdir(folder);
  }
}

async function makePipes(...paths: string[]): Promise<void> {
  // From the top folder no relative entry of PATH leads to a program of the repository.
  const maker = spawn("mkfifo", ["-m", "600", ...paths], { cwd: "/", stdio: "ignore" });
  try {
    const [code] = (await once(maker, "exit")) as [number | null];
    if (code === 0) return;
  } catch (e) {
    throw noPipes(e);
  }
  throw noPipes();
}

function noPipes(cause?: unknown): TaskfoldError {
  return new TaskfoldError("STORAGE_FAILED", "Expected mkfifo to make pipes in the temporary folder; it failed.", {
    cause,
    recovery: "Put mkfifo in PATH, and let TMPDIR name a folder that this user can write to.",
  });
}
