#!/usr/bin/env node
/** The program `taskfold`: gives the command line the real process and ends with its exit code. */
import { nodeIo } from "./hosts/cli/io.ts";
import { runCli } from "./hosts/cli/run.ts";

// Set, not exited with: a long answer may still be on its way into a pipe.
process.exitCode = await runCli(process.argv.slice(2), nodeIo());
