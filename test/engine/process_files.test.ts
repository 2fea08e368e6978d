import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import { ownStart } from "../../src/engine/locks/lock_owner.ts";
import { disown, isOrphan, ownName } from "../../src/engine/locks/process_files.ts";

const HERE = { disk: nodeDisk, runtime: nodeRuntime };
const onLinux = process.platform === "linux";

describe("files of an open workspace in the registry", () => {
  it("[DUR-8] are left alone while their workspace is open, also one in another thread of this process", () => {
    const name = ownName(HERE, "0123456789abcdef");
    expect(isOrphan(HERE, `${name}-3`)).toBe(false);
    disown(name);
    const ofAnotherThread = `${process.pid}-${ownStart(HERE)}-89abcdef`;
    // Elsewhere the system does not say when a process began, and a number that was given again must not keep files for ever.
    expect(isOrphan(HERE, ofAnotherThread)).toBe(!onLinux);
  });

  it("[DUR-8] are orphans when their process began at another time than the one that has its number now, or is gone", () => {
    expect(isOrphan(HERE, `${process.pid}-1-89abcdef`)).toBe(true);
    expect(isOrphan(HERE, "99999999-1-89abcdef")).toBe(true);
    expect(isOrphan(HERE, "not-ours")).toBe(false);
  });
});
