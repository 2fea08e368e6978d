/**
 * Text of a function `peakKiB()` for a child process: the most memory that it had. getrusage keeps its peak across exec, so
 * on Linux it would name the size of the test process, of which the child is a fork.
 */
export const PEAK_KIB = `import { readFileSync as readStatus } from "node:fs";
const peakKiB = () => process.platform === "linux"
  ? Number(/VmHWM:\\s+(\\d+)/.exec(readStatus("/proc/self/status", "latin1"))[1])
  : process.resourceUsage().maxRSS;
`;
