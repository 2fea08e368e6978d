/** The program `taskfold`: gives the command line the real process and ends with its exit code. */
import * as nodeModule from "node:module";

// Node keeps what it compiled, from 22.8 on; it does not keep modules that are loaded before this line.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
void main();

async function main(): Promise<void> {
  const { EXIT, nodeIo, runCli } = await import("./hosts/cli/main.ts");
  // Until there is an answer: a process that ends before has not done its work.
  process.exitCode = EXIT.internal;
  // Set, not exited with: a long answer may still be on its way into a pipe.
  process.exitCode = await runCli(process.argv.slice(2), nodeIo());
}
