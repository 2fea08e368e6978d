// The first code of the single executable (scripts/build_sea.mjs). It puts the program beside nothing of the user, into the cache of this
// user, once for each build, and starts it there. So threads, native locks, pages and parts that are loaded late are files, as they
// are in the package. Nothing but `node:` may be loaded here.
"use strict";
const fs = require("node:fs");
const nodeModule = require("node:module");
const os = require("node:os");
const path = require("node:path");
const sea = require("node:sea");
const { gunzipSync } = require("node:zlib");

/** The digest of the archive, and what is in it. @type {{ name: string, files: { path: string, size: number }[] }} */
const { name, files } = JSON.parse(sea.getAsset("contents", "utf8"));

const EXIT_STORAGE = 6;

/** Where this user may keep it, the best place first. */
function places() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const home = os.homedir();
  const own =
    process.platform === "win32"
      ? LOCALAPPDATA || path.join(home, "AppData/Local")
      : process.platform === "darwin"
        ? path.join(home, "Library/Caches")
        : path.isAbsolute(XDG_CACHE_HOME ?? "")
          ? XDG_CACHE_HOME
          : path.join(home, ".cache");
  return [
    path.join(own, "taskfold"),
    path.join(os.tmpdir(), `taskfold-${process.getuid?.() ?? os.userInfo().username}`),
  ];
}

/** Whether no other user could have put something there. @param {string} folder */
function isOwn(folder) {
  const { uid, mode } = fs.lstatSync(folder);
  if (!fs.lstatSync(folder).isDirectory()) return false;
  return process.platform === "win32" || (uid === process.getuid?.() && (mode & 0o022) === 0);
}

/** Whether all of it is there: a system may clear its folder for temporary files in part. @param {string} folder */
function isWhole(folder) {
  try {
    return isOwn(folder) && files.every((file) => fs.statSync(path.join(folder, file.path)).size === file.size);
  } catch {
    return false;
  }
}

/** @param {string} place */
function unpackedAt(place) {
  fs.mkdirSync(place, { recursive: true, mode: 0o700 });
  if (!isOwn(place)) throw new Error(`${place} is not this user's alone`);
  const folder = path.join(place, name);
  if (isWhole(folder)) return folder;
  const made = fs.mkdtempSync(path.join(place, "new-"));
  const bytes = gunzipSync(new Uint8Array(sea.getRawAsset("archive")));
  let at = 0;
  for (const file of files) {
    const target = path.join(made, file.path);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, bytes.subarray(at, at + file.size));
    at += file.size;
  }
  // Another start may have been sooner; what was cleared in part gives way.
  if (!isWhole(folder)) fs.rmSync(folder, { recursive: true, force: true });
  try {
    fs.renameSync(made, folder);
  } catch (e) {
    fs.rmSync(made, { recursive: true, force: true });
    if (!isWhole(folder)) throw e;
  }
  return folder;
}

function unpacked() {
  const failed = [];
  for (const place of places())
    try {
      return unpackedAt(place);
    } catch (e) {
      failed.push(e instanceof Error ? e.message : String(e));
    }
  process.stderr.write(
    `STORAGE_FAILED: Expected a folder for the parts of this executable, found none: ${failed.join("; ")}.\n  Set XDG_CACHE_HOME to a folder that this user alone may write.\n`,
  );
  process.exit(EXIT_STORAGE);
}

const folder = unpacked();
// There is no file of the command line: what starts it again is the executable alone.
process.argv[1] = "";
const { load } = nodeModule.createRequire(path.join(folder, "package.json"))("./dist/cli.cjs");
load(path.join(folder, "dist/program.cjs"));
