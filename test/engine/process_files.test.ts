import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { ownStart } from "../../src/engine/locks/lock_owner.ts";
import { disown, isOrphan, ownName } from "../../src/engine/locks/process_files.ts";

const onLinux = process.platform === "linux";

describe("files of an open workspace in the registry", () => {
  it("[DUR-9] are left alone while their workspace is open, also one in another thread of this process", () => {
    const name = ownName(nodeDisk, "0123456789abcdef");
    expect(isOrphan(nodeDisk, `${name}-3`)).toBe(false);
    disown(name);
    const ofAnotherThread = `${process.pid}-${ownStart(nodeDisk)}-89abcdef`;
    // Elsewhere the system does not say when a process began, and a number that was given again must not keep files for ever.
    expect(isOrphan(nodeDisk, ofAnotherThread)).toBe(!onLinux);
  });

  it("[DUR-9] are orphans when their process began at another time than the one that has its number now, or is gone", () => {
    expect(isOrphan(nodeDisk, `${process.pid}-1-89abcdef`)).toBe(true);
    expect(isOrphan(nodeDisk, "99999999-1-89abcdef")).toBe(true);
    expect(isOrphan(nodeDisk, "not-ours")).toBe(false);
  });
});
