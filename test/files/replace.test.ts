import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk, FileStat } from "../../src/disk.ts";
import { Replacer } from "../../src/files/replace.ts";
import { REST_MS, TempFilePool } from "../../src/files/temp_file_pool.ts";
import type { ReplacedFile } from "../../src/files/replace.ts";
import { exchanging, WAYS, without } from "../support/exchange.ts";
import { FaultyDisk, Stop } from "../support/faulty_disk.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";

onRealDisk();

const untouched = ({ bytes }: ReplacedFile): never => {
  throw new Error(`nothing is late, found ${bytes.toString()}`);
};

/** A file in view and what replaces it; `pass` moves the clock. */
function prepared(disk: Disk, root = tempFolder()) {
  const folder = join(root, "exchange");
  const path = join(root, "view", "task.yaml");
  mkdirSync(join(root, "view"), { recursive: true });
  let now = 0;
  const spares = new TempFilePool(disk, folder, "1-0a1b2c3d", () => now);
  const replacer = new Replacer(disk, spares);
  let known: FileStat | undefined;
  return {
    root,
    folder,
    path,
    spares,
    pass: (ms: number) => (now += ms),
    standing: () => (existsSync(folder) ? readdirSync(folder) : []),
    /** Looks, then replaces; `between` happens after the look. */
    put: (
      text: string,
      { late = untouched as (stood: ReplacedFile) => void, between = () => undefined as unknown } = {},
    ) => {
      const stat = disk.lstat(path);
      const own = stat !== undefined && known !== undefined && stat.ino === known.ino && stat.ctimeMs === known.ctimeMs;
      between();
      known = replacer.replace(path, text, { stat, own }, late);
      return known;
    },
  };
}

const text = (n: number): string => `revision: ${n}\n${"x".repeat(n % 5 === 0 ? 9000 : 40)}\nend ${n}\n`;

describe.each(WAYS)("a file in view, replaced by %s", (_way, disk) => {
  it("[DIR-26] is the new text, whole and of its length, and the stat that is told is its own", () => {
    const { path, put, pass } = prepared(disk);
    for (let n = 1; n <= 30; n++) {
      const stat = put(text(n));
      expect(readFileSync(path, "utf8")).toBe(text(n));
      expect(stat).toEqual(disk.lstat(path));
      pass(n % 3 === 0 ? REST_MS : 1);
    }
  });

  it("[regression DIR-33] keeps its text under a name that somebody gave it just before it was replaced", () => {
    const { root, path, put, pass } = prepared(disk);
    put(text(1));
    const second = join(root, "second");
    put(text(2), { between: () => linkSync(path, second) });
    for (let n = 3; n <= 12; n++) {
      pass(REST_MS);
      put(text(n));
    }
    expect(readFileSync(second, "utf8")).toBe(text(1));
  });

  it("[DIR-26] is what it was for a reader who opened it, while others replace it", () => {
    const { path, put, pass } = prepared(disk);
    put(text(1));
    for (let n = 2; n <= 20; n++) {
      const fd = openSync(path, "r");
      for (let k = 0; k < 10; k++) {
        put(text(n * 10 + k));
        pass((REST_MS - 1) / 10);
      }
      expect(readFileSync(fd, "utf8")).toBe(n === 2 ? text(1) : text((n - 1) * 10 + 9));
      closeSync(fd);
      pass(REST_MS);
    }
  });

  it("[DIR-26] is made where nothing stands, and takes the place of a link, whose target stays as it is", () => {
    const { root, path, put } = prepared(disk);
    put(text(1));
    rmSync(path);
    put(text(2));
    expect(readFileSync(path, "utf8")).toBe(text(2));
    const away = join(root, "away");
    writeFileSync(away, "mine");
    rmSync(path);
    symlinkSync(away, path);
    put(text(3));
    expect([lstatSync(path).isFile(), readFileSync(away, "utf8")]).toEqual([true, "mine"]);
  });

  it("[DIR-26] does not take the place of a folder, which stays with all that is in it", () => {
    const { path, put, standing } = prepared(disk);
    mkdirSync(path);
    writeFileSync(join(path, "inside"), "mine");
    expect(() => put(text(1))).toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/);
    expect(readFileSync(join(path, "inside"), "utf8")).toBe("mine");
    expect(standing()).toEqual([]);
  });

  it("[regression DIR-33] keeps a second name of an old text as it was: a copy by hard links does not change", () => {
    const { root, path, put, pass } = prepared(disk);
    for (let n = 1; n <= 9; n++) {
      put(text(n));
      if (n === 3) linkSync(path, join(root, "copy"));
      pass(REST_MS);
    }
    expect(readFileSync(join(root, "copy"), "utf8")).toBe(text(3));
  });

  it("[regression DIR-33] has the rights of a new file, whatever rights an earlier one was given", () => {
    const { path, put, pass } = prepared(disk);
    put(text(1));
    const { mode } = statSync(path);
    for (let n = 2; n <= 9; n++) {
      chmodSync(path, 0o600);
      put(text(n));
      expect(statSync(path).mode).toBe(mode);
      pass(REST_MS);
    }
  });

  it("[DIR-26] is old or new, and whole, wherever a process dies on the way", () => {
    const counted = new FaultyDisk(disk);
    const work = (one: ReturnType<typeof prepared>): void => {
      for (const n of [1, 5, 2, 3]) {
        one.put(text(n));
        one.pass(REST_MS);
      }
    };
    work(prepared(counted));
    for (let n = 0; n < counted.changes; n++) {
      for (const tear of [0, 7]) {
        const faulty = new FaultyDisk(disk);
        faulty.stop(n, tear);
        const one = prepared(faulty);
        expect(() => work(one)).toThrow(Stop);
        faulty.die();
        const found = existsSync(one.path) ? readFileSync(one.path, "utf8") : undefined;
        expect([undefined, text(1), text(5), text(2), text(3)], `change ${n}`).toContain(found);
        const next = prepared(disk, one.root);
        next.spares.sweep(() => true);
        expect(next.standing()).toEqual([]);
        next.put(text(9));
        expect(readFileSync(one.path, "utf8")).toBe(text(9));
      }
    }
  });
});

describe("a file that is exchanged", () => {
  it("[regression DIR-33] is written again after its rest, so that a few files serve any number of changes", () => {
    const { path, put, pass, standing, spares } = prepared(exchanging);
    const seen = new Set<number>();
    for (let n = 1; n <= 50; n++) {
      put(text(n));
      seen.add(statSync(path).ino);
      pass(REST_MS);
    }
    expect([standing().length, seen.size]).toEqual([1, 2]);
    spares.close();
    expect(standing()).toEqual([]);
  });

  it("[regression DIR-33] what rests takes no more than its share of the disk", () => {
    const { path, put, standing } = prepared(exchanging);
    const large = "x".repeat(1024 * 1024);
    for (let n = 1; n <= 20; n++) put(`${large}${n}`);
    expect(standing().length).toBeLessThanOrEqual(8);
    expect(readFileSync(path, "utf8")).toBe(`${large}20`);
  });

  it("[PROJ-13] an edit between the look and the exchange is handed over", () => {
    const { path, put, standing } = prepared(exchanging);
    put(text(1));
    put(text(2));
    const late: string[] = [];
    put(text(3), { between: () => writeFileSync(path, "mine"), late: ({ bytes }) => late.push(bytes.toString()) });
    expect([late, readFileSync(path, "utf8")]).toEqual([["mine"], text(3)]);
    put(text(4), {
      between: () => {
        rmSync(path);
        writeFileSync(path, "another");
      },
      late: ({ bytes }) => late.push(bytes.toString()),
    });
    expect([late, readFileSync(path, "utf8")]).toEqual([["mine", "another"], text(4)]);
    // What somebody had a hand on is not written again.
    expect(standing().length).toBe(1);
  });

  it("[PROJ-13] an edit that cannot be kept stays in view", () => {
    const { path, put } = prepared(exchanging);
    put(text(1));
    const late = (): never => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    };
    expect(() => put(text(2), { between: () => writeFileSync(path, "mine"), late })).toThrow("full");
    expect(readFileSync(path, "utf8")).toBe("mine");
  });

  it.each<[string, string[], (path: string, away: string) => void]>([
    ["nothing", [], (path) => rmSync(path)],
    ["a link", ["link"], (path, away) => (rmSync(path), symlinkSync(away, path))],
  ])("[DIR-26] takes the place of %s that came between the look and the exchange", (_what, told, come) => {
    const { root, path, put } = prepared(exchanging);
    const away = join(root, "away");
    writeFileSync(away, "mine");
    put(text(1));
    const late: string[] = [];
    put(text(2), { between: () => come(path, away), late: ({ kind }) => late.push(kind) });
    expect(late).toEqual(told);
    expect([lstatSync(path).isFile(), readFileSync(path, "utf8"), readFileSync(away, "utf8")]).toEqual([
      true,
      text(2),
      "mine",
    ]);
  });

  it("[DIR-26] does not take the place of a folder that came between the look and the exchange", () => {
    const { path, put, standing } = prepared(exchanging);
    put(text(1));
    const between = (): void => {
      rmSync(path);
      mkdirSync(path);
      writeFileSync(join(path, "inside"), "mine");
    };
    expect(() => put(text(2), { between })).toThrow("EISDIR");
    expect([readFileSync(join(path, "inside"), "utf8"), standing()]).toEqual(["mine", []]);
  });

  it.each<[string, (spare: string, away: string, folder: string) => void]>([
    ["was deleted", (spare) => rmSync(spare)],
    ["was written in", (spare) => writeFileSync(spare, "garbled")],
    ["is a folder now", (spare) => (rmSync(spare), mkdirSync(spare))],
    ["is a link now", (spare, away) => (rmSync(spare), symlinkSync(away, spare))],
    ["is a second name of another file", (spare, away) => (rmSync(spare), linkSync(away, spare))],
    ["may not be written", (spare) => chmodSync(spare, 0o400)],
    ["went with the whole folder", (_spare, _away, folder) => rmSync(folder, { recursive: true })],
    [
      "is in a folder that is a file now",
      (_s, _a, folder) => (rmSync(folder, { recursive: true }), writeFileSync(folder, "")),
    ],
  ])(
    "[regression DIR-33] a file at rest that %s is not used: the next text is in place, and nothing else is touched",
    (_what, spoil) => {
      const { root, path, folder, put, pass, standing } = prepared(exchanging);
      const away = join(root, "away");
      writeFileSync(away, "mine");
      put(text(1));
      put(text(2));
      pass(REST_MS);
      spoil(join(folder, standing()[0]!), away, folder);
      for (let n = 3; n < 6; n++) {
        put(text(n));
        expect(readFileSync(path, "utf8")).toBe(text(n));
        expect(lstatSync(path).nlink).toBe(1);
        pass(REST_MS);
      }
      expect(readFileSync(away, "utf8")).toBe("mine");
    },
  );

  it.each(["ENOSYS", "EINVAL", "EXDEV", "ENOTSUP"])(
    "[regression DIR-34] where it cannot be (%s) a rename serves, and the write is not tried again",
    (errno) => {
      const disk = new FaultyDisk(without(errno));
      const { path, put, standing } = prepared(disk);
      for (let n = 1; n < 5; n++) {
        put(text(n));
        expect(readFileSync(path, "utf8")).toBe(text(n));
      }
      expect([disk.count({ kind: "exchange" }), standing()]).toEqual([1, []]);
    },
  );

  it("[regression DIR-34] sweeping takes what processes left that are gone, and nothing else", () => {
    const { folder, spares, standing } = prepared(exchanging);
    mkdirSync(folder);
    for (const name of ["1-0a1b2c3d-0", "2-0a1b2c3d-0", "note.txt"]) writeFileSync(join(folder, name), "");
    spares.sweep((name) => name.startsWith("2-"));
    expect(standing().toSorted()).toEqual(["1-0a1b2c3d-0", "note.txt"]);
  });
});
