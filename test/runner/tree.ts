/** A work tree for tests: real files, and real git unless it is to have none. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeDisk } from "../../src/disk.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { RootedDisk } from "../../src/rooted_disk.ts";
import { changedSince, readWorkTree } from "../../src/runner/work_tree.ts";
import type { WorkTree } from "../../src/runner/work_tree.ts";
import { Clone } from "../support/git_clone.mjs";
import { tempFolder } from "../support/temp.ts";

export class Tree {
  readonly root: string;
  readonly disk: RootedDisk;
  readonly repo: Clone | undefined;
  /** Of the scope. */
  denied: string[] = [];

  constructor(root = tempFolder(), { git = true } = {}) {
    this.root = root;
    this.disk = new RootedDisk(root);
    this.repo = git ? Clone.init(root) : undefined;
  }

  get around() {
    return { disk: this.disk, anywhere: nodeDisk, root: this.root, git: openGit(this.root) };
  }

  write(path: string, text = `${path}\n`): void {
    mkdirSync(join(this.root, path, ".."), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  look(): WorkTree {
    return readWorkTree(this.around, { denied: this.denied });
  }

  /** Paths that differ after the work. */
  after(work: () => void): string[] {
    const before = this.look();
    work();
    const { paths, complete } = changedSince(before, this.around);
    if (!complete) throw new Error("expected every file to be looked at");
    return paths;
  }
}
