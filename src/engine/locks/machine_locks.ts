/**
 * Which kind of lock this machine uses: `.coco/locks/kind` says, and the first who locks writes it. Two kinds at once
 * would not exclude each other, so a kind that was chosen stays, whatever a later caller asks for.
 */
import { readRegular, writeAll, writeAtomic } from "../../files/atomic.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { LockProvider } from "../core/lock.ts";
import { LockfileLocks } from "./lockfile_lock.ts";
import { OsLocks } from "./os_lock.ts";
import type { EngineContext } from "../core/context.ts";

export const LOCK_KINDS = ["os", "lockfile"] as const;
export type LockKind = (typeof LOCK_KINDS)[number];

export type LockMakers = Record<LockKind, (context: EngineContext) => LockProvider>;

const MAKERS: LockMakers = {
  os: ({ disk, layout, now }) => new OsLocks(disk, layout, now),
  lockfile: (context) => new LockfileLocks(context),
};

/**
 * The locks of this machine. `wanted` counts when none was chosen before; without it: `os` where that loads, else `lockfile`.
 * LOCK_UNAVAILABLE when the kind that was chosen is none that works here.
 * @internal
 */
export function machineLocks(context: EngineContext, wanted?: LockKind, makers: LockMakers = MAKERS): LockProvider {
  try {
    const fixed = readKind(context);
    if (fixed !== undefined) return makers[fixed](context);
    const locks = wanted ? makers[wanted](context) : firstThatLoads(context, makers);
    const kind = writeKind(context, locks.kind);
    if (kind === locks.kind) return locks;
    locks.close();
    return makers[kind](context);
  } catch (e) {
    throw storageError(e, "set up the locks");
  }
}

function firstThatLoads(context: EngineContext, makers: LockMakers): LockProvider {
  try {
    return makers.os(context);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "LOCK_UNAVAILABLE") return makers.lockfile(context);
    throw e;
  }
}

/** undefined: not chosen yet, or by a process that died over it. */
function readKind(context: EngineContext): LockKind | undefined {
  const text = readRegular(context.disk, context.layout.lockKind(), 64)?.toString("utf8") ?? "";
  const found = text.trim();
  if (isLockKind(found)) return found;
  if (found === "" || !text.endsWith("\n")) return undefined;
  throw new TaskfoldError(
    "LOCK_UNAVAILABLE",
    `Expected .coco/locks/kind to say ${LOCK_KINDS.join(" or ")}, found ${JSON.stringify(found.slice(0, 40))}.`,
    { recovery: "Use a release that knows it, or let every process go and remove the file." },
  );
}

/** Of two who choose at the same time, one is first; both use that one's kind. */
function writeKind(context: EngineContext, kind: LockKind): LockKind {
  const { disk, layout } = context;
  ensureDurableFolder(disk, layout.locks);
  try {
    const fd = disk.open(layout.lockKind(), "wx");
    try {
      writeAll(disk, fd, Buffer.from(`${kind}\n`));
    } finally {
      disk.close(fd);
    }
    return kind;
  } catch (e) {
    if (errnoOf(e) !== "EEXIST") throw e;
  }
  const theirs = readKind(context);
  if (theirs === undefined) writeAtomic(disk, layout.lockKind(), `${kind}\n`);
  return theirs ?? kind;
}

function isLockKind(text: string): text is LockKind {
  return (LOCK_KINDS as readonly string[]).includes(text);
}
