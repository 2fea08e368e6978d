/** Numbers that do not depend on which test files ran before in the same process. */
import { expect } from "vitest";

/** Returns a counter that begins at 0 in each test file: a worker of several files keeps its modules. */
export function countPerFile(): () => number {
  let file: string | undefined;
  let n = 0;
  return () => {
    const { testPath } = expect.getState();
    if (testPath !== file) [file, n] = [testPath, 0];
    return n++;
  };
}
