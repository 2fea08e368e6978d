/** Reads blobs by their names, many at a time and never more than the limits allow. Nothing converts what is read. */
import { createHash } from "node:crypto";
import { bytesOfName } from "../../name_bytes.ts";
import { BATCH, MAX_OBJECT } from "./limits.ts";
import type { PrivateFolder } from "./private_folder.ts";
import { privateFolder } from "./private_folder.ts";
import type { Repository } from "./repository.ts";
import { tooLarge } from "./run_git.ts";

const LF = 0x0a;
/** How many names one call is given. */
const MAX_NAMES = 20_000;

/** Returns git's name of these bytes as a file, where nothing converts them. */
export function blobName({ format }: Repository, bytes: Buffer): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** The name of what a commit has at a path, if it has something there. */
export function findObject({ git, says }: Repository, commit: string, path: string): string | undefined {
  // Behind ./ a path begins where git runs, not at the top of the work tree.
  const name = `${commit}:./${path}`;
  if (path.isWellFormed()) return says(["rev-parse", "--verify", "--quiet", name]);
  // Arguments are UTF-8, lines of its input are not, and one with a line feed would be two.
  if (path.includes("\n")) return undefined;
  const input = Buffer.concat([bytesOfName(name), Buffer.of(LF)]);
  return /^([0-9a-f]+) blob /.exec(git(["cat-file", "--batch-check"], { input }).toString("latin1"))?.[1];
}

/** Sizes of those that are there and are blobs. */
export function sizesOf(folder: PrivateFolder, objects: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (let at = 0; at < objects.length; at += MAX_NAMES) {
    const input = objects.slice(at, at + MAX_NAMES).join("\n");
    for (const line of folder
      .git(["cat-file", "--batch-check"], { input: `${input}\n` })
      .toString("latin1")
      .split("\n")) {
      const [name = "", kind, size] = line.split(" ");
      if (kind === "blob") sizes.set(name, Number(size));
    }
  }
  return sizes;
}

/** Blobs that are there and together are no larger than the caller has memory for. */
export function blobsOf(folder: PrivateFolder, objects: readonly string[], size: number): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  if (objects.length === 0) return blobs;
  // Beside the bytes, each has a line with its name, kind and size, and an LF at its end.
  const most = size + objects.length * 128;
  const output = folder.git(["cat-file", "--batch"], { input: `${objects.join("\n")}\n`, most });
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(LF, at);
    const [name = "", kind, length] = output.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (kind !== "blob") continue;
    blobs.set(name, output.subarray(at, at + Number(length)));
    at += Number(length) + 1;
  }
  return blobs;
}

/** Each of these, whole; undefined where it is not in this clone. CONTENT_TOO_LARGE when one, or all, have too many bytes. */
export function wholeBlobs(repository: Repository, objects: readonly string[], most = MAX_OBJECT): Map<string, Buffer> {
  const folder = privateFolder(repository);
  try {
    const sizes = sizesOf(folder, objects);
    const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const largest = Math.max(0, ...sizes.values());
    if (largest > MAX_OBJECT || all > most)
      throw tooLarge(
        `Expected at most ${most} bytes in all versions and ${MAX_OBJECT} in one, found ${all} and ${largest}.`,
      );
    const blobs = new Map<string, Buffer>();
    for (const batch of batchesOf([...sizes])) {
      const size = batch.reduce((sum, [, bytes]) => sum + bytes, 0);
      for (const [name, bytes] of blobsOf(
        folder,
        batch.map(([name]) => name),
        size,
      ))
        blobs.set(name, bytes);
    }
    return blobs;
  } finally {
    folder.remove();
  }
}

/** Runs of objects that are small together; a large one is a run of its own. */
export function* batchesOf(sizes: readonly (readonly [string, number])[]): Generator<(readonly [string, number])[]> {
  let [batch, size]: [(readonly [string, number])[], number] = [[], 0];
  for (const one of sizes) {
    if (batch.length > 0 && (size + one[1] > BATCH || batch.length >= MAX_NAMES)) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(one);
    size += one[1];
  }
  if (batch.length > 0) yield batch;
}
