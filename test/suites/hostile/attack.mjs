// @ts-check
// One case: a hostile folder, what is done in it, and what was found to be wrong after.
import * as fs from "node:fs";
import { join } from "node:path";
import { callTool, command, OPERATIONS, within } from "./operations.mjs";
import { git, remove } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */
/** @typedef {import("./operations.mjs").Told} Told */
/** @typedef {"escaped" | "executed" | "internal" | "believed" | "stopped" | "hung" | "over_memory"} Kind */
/** @typedef {{ kind: Kind, what: string }} Fault */

/** Codes that no folder may lead to. */
const INTERNAL = new Set(["INTERNAL", "THROWN"]);
const MAX_TOLD = 600;

export class Attack {
  /** @type {World} */
  world;
  /** The answers of the operations, in their order. @type {(Told & { what: string })[]} */
  answers = [];
  /** @type {Fault[]} */
  faults = [];
  /** The canary that has a second name inside. @type {string | undefined} */
  linked;
  /** The library's fault before its fix, for a run that has to fail. @type {(root: string) => void} */
  #weaken;
  /** Where the operations are done, from the root. */
  #at = "";

  /** @param {World} world @param {(root: string) => void} [weaken] */
  constructor(world, weaken = () => undefined) {
    this.world = world;
    this.#weaken = weaken;
    world.restore();
  }

  get root() {
    return join(this.world.root, this.#at);
  }

  /** Plants in the folder itself. @param {(root: string) => unknown} plant */
  async planted(plant) {
    this.world.gitChanged = true;
    await plant(this.world.root);
    this.world.watch();
  }

  /** Plants in a copy, commits all of it, and works on in a clone of that. @param {(root: string) => unknown} plant @param {{ at?: string }} [options] the folder of the clone to work in */
  async cloned(plant, { at = "" } = {}) {
    const upstream = join(this.world.own, "upstream");
    remove(upstream);
    fs.mkdirSync(upstream);
    fs.renameSync(join(this.world.root, ".git"), join(upstream, ".git"));
    fs.cpSync(this.world.coco, join(upstream, ".coco"), { recursive: true });
    for (const name of ["locks", "registry"]) remove(join(upstream, ".coco", name));
    await plant(upstream);
    git(upstream, "add", "-A", "-f");
    git(upstream, "commit", "-q", "--allow-empty", "-m", "hostile");
    this.world.clear();
    git(this.world.own, "clone", "-q", upstream, this.world.root);
    remove(upstream);
    this.#at = at;
    this.world.watch();
  }

  /** @param {string} name @param {Record<string, unknown>} input @param {Partial<import("../../../dist/testing.js").WorkspaceOptions>} [options] */
  call(name, input, options) {
    return this.#done(`${name} ${JSON.stringify(input)}`, callTool(this.#weakened(), name, input, options));
  }

  /** @param {string} name of `OPERATIONS` */
  operation(name) {
    const operation = OPERATIONS[name];
    if (!operation) throw new Error(`expected one of ${Object.keys(OPERATIONS).join(", ")}, found ${name}`);
    if (operation.git) this.world.gitChanged = true;
    return this.#done(name, operation.run(this.#weakened(), this.world.cursor));
  }

  /** @param {...string} args */
  command(...args) {
    return this.#done(JSON.stringify(args), command(this.#weakened(), args));
  }

  /** @param {(workspace: import("../../../dist/index.js").Workspace) => unknown} work @param {Partial<import("../../../dist/testing.js").WorkspaceOptions>} [options] */
  within(work, options) {
    return this.#done(String(work), within(this.#weakened(), work, options));
  }

  /** @param {Kind} kind @param {string} what */
  fault(kind, what) {
    this.faults.push({ kind, what: what.slice(0, MAX_TOLD) });
  }

  /** One odd thing may be refused, and the rest goes on. @param {Told} told @param {string} what */
  mustGoOn({ code, message }, what) {
    if (code !== "ok" && !INTERNAL.has(code)) this.fault("stopped", `${what}: ${code} ${message}`);
  }

  /** Looks at the canaries and the markers. */
  end() {
    const { linked } = this;
    for (const { what, code, message } of this.answers)
      if (INTERNAL.has(code)) this.fault("internal", `${what.slice(0, MAX_TOLD / 2)}: ${code} ${message}`);
    for (const damage of this.world.damage(linked === undefined ? {} : { linked })) this.fault("escaped", damage);
    for (const marker of this.world.executed()) this.fault("executed", marker);
    return this.faults;
  }

  #weakened() {
    this.#weaken(this.root);
    return this.root;
  }

  /** @template {Told} T @param {string} what @param {Promise<T>} work */
  async #done(what, work) {
    const told = await work;
    this.answers.push({ ...told, what });
    return told;
  }
}
