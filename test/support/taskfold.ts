/** The command line as a process of its own. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./source.ts";

const CLI = join(ROOT, "dist/cli.cjs");

export interface Ended {
  exit: number;
  out: string;
  err: string;
}

/** `until`: the input ends once the output has so many lines. */
export function taskfold(
  cwd: string,
  { env, input = "", until = 0 }: { env: Record<string, string>; input?: string; until?: number },
  ...args: string[]
): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env: { ...process.env, ...env } });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => {
      out += String(data);
      if (out.split("\n").length > until) child.stdin.end();
    });
    child.stderr.on("data", (data) => (err += String(data)));
    child.once("close", (exit) => done({ exit: exit ?? -1, out, err }));
    child.stdin.write(input);
    if (until === 0) child.stdin.end();
  });
}
