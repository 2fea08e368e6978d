/** Where programs of the system are found, whatever a repository puts in their way. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { programInPath } from "../../src/hosts/program_in_path.ts";
import { tempFolder } from "../support/temp.ts";

/** A folder with a program `ssh-keygen`. */
function withProgram(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "ssh-keygen"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(folder, "ssh-keygen"), 0o755);
  return folder;
}

function found(root: string, ...entries: string[]): string | undefined {
  const before = process.env["PATH"];
  process.env["PATH"] = entries.join(delimiter);
  try {
    return programInPath("ssh-keygen", root);
  } finally {
    process.env["PATH"] = before;
  }
}

describe.skipIf(process.platform === "win32")("a program of the system", () => {
  it("[HISTORY-20] is none of the work tree: above the root, or by a link of the entry, of the program or of the root", () => {
    const outside = tempFolder();
    const system = withProgram(join(outside, "system"));
    const top = join(outside, "repository");
    const root = join(top, "packages/app");
    mkdirSync(root, { recursive: true });
    mkdirSync(join(top, ".git"));
    const tools = withProgram(join(top, "tools"));
    symlinkSync(tools, join(outside, "entry"));
    mkdirSync(join(outside, "linked"));
    symlinkSync(join(tools, "ssh-keygen"), join(outside, "linked/ssh-keygen"));
    symlinkSync(root, join(outside, "root"));
    const good = join(system, "ssh-keygen");
    for (const entry of [tools, join(outside, "entry"), join(outside, "linked"), join(root, "..", "..", "tools")]) {
      expect([entry, found(root, entry, system)]).toEqual([entry, good]);
      expect([entry, found(join(outside, "root"), entry, system)]).toEqual([entry, good]);
    }
    // The system itself may have links.
    symlinkSync(good, join(outside, "alternative"));
    mkdirSync(join(outside, "bin"));
    symlinkSync(join(outside, "alternative"), join(outside, "bin/ssh-keygen"));
    expect(found(root, join(outside, "bin"))).toBe(join(outside, "bin/ssh-keygen"));
  });

  it("[HISTORY-20] is in no folder node_modules/.bin, which npx puts first for each folder above", () => {
    const outside = tempFolder();
    const system = withProgram(join(outside, "system"));
    const above = withProgram(join(outside, "node_modules/.bin"));
    const root = join(outside, "repository");
    mkdirSync(root);
    symlinkSync(above, join(outside, "entry"));
    for (const entry of [above, `${above}/`, join(outside, "entry")])
      expect([entry, found(root, entry, system)]).toEqual([entry, join(system, "ssh-keygen")]);
    expect(found(root, above)).toBeUndefined();
  });
});
