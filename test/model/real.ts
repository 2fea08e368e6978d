/** The workspace that the model is held against, in a folder of its own, with a clock that moves only between calls. */
import type { JsonObject } from "../../src/state/json.ts";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openWorkspace } from "../support/open.ts";
import { UNSYNCED } from "../support/random_work.ts";
import { counting, START } from "../support/workspace.ts";
import type { Input } from "./input.ts";

/** A call that succeeded with a key, and its result. */
export interface Keyed {
  tool: string;
  input: Input;
  by: string;
  result: unknown;
}

export class Real {
  readonly root: string;
  readonly keyed: Keyed[] = [];
  /** What was done, and what the model said of it. */
  readonly story: string[] = [];
  now = START;
  ws: Workspace;
  readonly #newId = counting("model");

  constructor(root: string) {
    this.root = root;
    this.ws = this.#open();
  }

  call(tool: string, input: Input, by: string): Promise<Reply> {
    return this.ws.callTool(tool, input as JsonObject, { by });
  }

  /** As another process finds it; `bare`: without anything that this machine keeps beside the logs. */
  async reopen(bare: boolean): Promise<void> {
    await this.ws.close();
    for (const name of bare ? ["cache", "snapshots", "index"] : [])
      rmSync(join(this.root, ".coco", "registry", name), { recursive: true, force: true });
    this.ws = this.#open();
  }

  /** How large all logs are: what was refused or only read leaves none of them longer. */
  logBytes(): number {
    const folders = ["tasks", "archive"].flatMap((home) => {
      const folder = join(this.root, ".coco", home);
      return (existsSync(folder) ? readdirSync(folder) : []).map((id) => join(folder, id, "events.jsonl"));
    });
    return folders.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  #open(): Workspace {
    return openWorkspace({
      root: this.root,
      durability: "os",
      disk: UNSYNCED,
      now: () => this.now,
      newId: this.#newId,
    });
  }
}
