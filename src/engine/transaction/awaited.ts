/**
 * Which logs a transaction waits for: git took away what one part builds on, and a log has another part. Half a transaction is none (TXN-6).
 * Readers ask it too, and load no code that writes.
 */
import { join } from "node:path";
import { areSettled, signOf } from "../../files/file_sign.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { Journal, JournalLook, JournalPart } from "../commit/journal.ts";
import type { EngineContext } from "../core/context.ts";
import type { GitHeld, HeldText } from "../core/git_port.ts";
import { gitSign } from "../core/git_sign.ts";
import { answersOf, textOf } from "../entity/held_text.ts";
import type { PartPlace } from "./part_place.ts";
import { placesFor } from "./part_place.ts";

/** The parts whose base is gone and may come back. None where no log ever had a part, for then the whole goes. */
export function awaited(
  context: EngineContext,
  parts: readonly JournalPart[],
  places: readonly PartPlace[],
): PartPlace[] {
  const gone = places.filter(({ state }) => state === "gone");
  if (gone.length === 0) return [];
  // git may have taken the logs that have a part, too.
  const ops = parts.flatMap((part) => part.ops.map((op) => textOf(part.id, op)));
  if (!places.some(isBegun) && !heldIn(context, ops).some((held) => held)) return [];
  // Of a log that is gone whole and that git has nowhere, nothing says that it comes back: a person deleted its folder.
  const bases = parts.filter((_, i) => isGoneWhole(places[i]!));
  const texts = bases.flatMap(({ id, prev }) => prev.map((hash) => textOf(id, { hash })));
  return heldIn(context, texts).every((held) => held !== undefined) ? gone : [];
}

/** The logs of a transaction and git, as they are now. While they are the same, so is the answer of `awaited`. */
export function lookAt(context: EngineContext, parts: readonly JournalPart[]): JournalLook {
  const paths = parts.flatMap((part) => placesFor(context, part)).map(({ folder }) => join(folder, LOG_FILE));
  return { paths, sign: signNow(context, paths) };
}

/** Whether nothing has changed since a look found that a transaction lacks something. To read the logs again takes as long as they are long. */
export function lacksStill(context: EngineContext, journal: Journal, name: string): boolean {
  const look = journal.lookOf(name);
  return look !== undefined && look.sign !== "" && look.sign === signNow(context, look.paths);
}

/** Empty while a further change might not show. */
function signNow(context: EngineContext, paths: readonly string[]): string {
  const git = gitSign(context, context.layout.root);
  const stats = paths.map((path) => context.disk.lstat(path));
  return areSettled(context, stats) && git !== "" ? [git, ...stats.map(signOf)].join("\n") : "";
}

function isBegun({ state, ops, missing }: PartPlace): boolean {
  return state === "there" || (missing.length > 0 && missing.length < ops.length);
}

function isGoneWhole({ state, missing }: PartPlace): boolean {
  return state === "gone" && missing.length === 0;
}

/** Returns null for each if no git can be asked. Without a repository, nothing has them. */
function heldIn(context: EngineContext, texts: readonly HeldText[]): (GitHeld | undefined | null)[] {
  if (texts.length === 0) return [];
  if (gitSign(context, context.layout.root) === "none") return texts.map(() => undefined);
  const git = context.git?.();
  return git ? answersOf(git, texts) : texts.map(() => null);
}
