/** A place to run packets from by the command line. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST } from "../packet/packet_support.ts";
import { SERVANTS } from "../runner/stage_support.ts";
import { tempFolder } from "../support/temp.ts";
import { git, json, run } from "./cli_support.ts";
import type { Ran } from "./cli_support.ts";

/** A repository, and beside it a manifest, a folder of configuration and one of inputs. */
export class Desk {
  readonly folder = tempFolder();
  readonly cwd = join(this.folder, "repo");

  constructor(manifest: object = {}) {
    for (const name of ["repo", "configs/servant", "inputs/attachments"])
      mkdirSync(join(this.folder, name), { recursive: true });
    git(this.cwd, "init", "-q");
    git(this.cwd, "commit", "-q", "--allow-empty", "-m", "begin");
    this.manifest({ task_id: "read-once", ...MANIFEST, acceptance: { commands: ["true"], criteria: [] }, ...manifest });
    this.servant("codex", ["exec", "--model", "{model}", "--role", "{role}", "-"], "stdin");
    this.servant("gemini", ["-m", "{model}", "--role", "{role}", "--prompt-file", "{prompt_file}"], "file");
  }

  // What is JSON is YAML.
  manifest(value: object): void {
    writeFileSync(join(this.folder, "manifest.yaml"), JSON.stringify(value));
  }

  servant(tool: string, args: string[], prompt: string, more: object = {}): void {
    const command = [join(SERVANTS, `${tool}.mjs`), ...args];
    const config = { tool, command, prompt, default_model: "m1", allowed_models: ["m1"], ...more };
    writeFileSync(join(this.folder, `configs/servant/${tool}.yaml`), JSON.stringify(config));
  }

  run(...args: string[]): Promise<Ran> {
    return run({ cwd: this.cwd, env: { PATH: process.env["PATH"]! } }, "packet", ...args);
  }

  json(...args: string[]) {
    return json({ cwd: this.cwd, env: { PATH: process.env["PATH"]! } }, "packet", ...args);
  }

  create(...args: string[]): Promise<Ran> {
    return this.run("create", "../manifest.yaml", "--config", "../configs", ...args);
  }

  path(name: string): string {
    return join(this.cwd, ".coco/tasks/read-once", name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }
}
