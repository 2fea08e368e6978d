// @ts-check
// The real server in a process of its own, spoken to in bare lines, well formed or not.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WORKSPACE } from "./world.mjs";

/** @typedef {import("./attack.mjs").Kind} Kind */

const PROGRAM = join(import.meta.dirname, "../../..", "dist", "cli.cjs");
const MAX_MB = 512;
const INTERNAL = /"code":-32603|"code":"INTERNAL"/;
/** The protocol's library answers parameters of the wrong type with the code of an internal error, and says what is wrong. */
const OF_THE_SDK = /"code":-32603,"message":"\[\\n\s+\{/;
/** Of what it said, so much is kept. */
const KEPT = 1 << 24;

export class Server {
  alive = true;
  #process;
  #text = "";
  #reading = false;
  #peak = 0;
  /** @type {[Kind, string][]} */
  #faults = [];
  /** @type {Promise<void>} */
  #exited;

  /** @param {string} root */
  constructor(root) {
    const args = [PROGRAM, "mcp", "--root", root, "--workspace", WORKSPACE];
    this.#process = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#process.stdin.on("error", () => (this.alive = false));
    this.#exited = new Promise((done) => {
      this.#process.on("exit", () => {
        this.alive = false;
        done();
      });
    });
  }

  async handshake() {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "hostile", version: "1" } };
    this.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    await this.#heard(1, 30_000);
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** False when it should be waited for `drained`. @param {Record<string, unknown>} message */
  send(message) {
    return this.write(`${JSON.stringify(message)}\n`);
  }

  /** @param {string | Buffer} text */
  write(text) {
    this.#measure();
    return this.#process.stdin.write(text);
  }

  /** @returns {Promise<void>} */
  drained() {
    return new Promise((done) => this.#process.stdin.once("drain", done));
  }

  /** Asks whether it is there: a server that has not said so after `ms` hangs. @param {string} id @param {number} ms */
  async answered(id, ms) {
    const asked = performance.now();
    this.send({ jsonrpc: "2.0", id, method: "ping" });
    await this.#heard(id, 10 * ms);
    const waited = performance.now() - asked;
    if (waited > ms) this.#faults.push(["hung", `a ping was answered after ${Math.round(waited)} ms`]);
  }

  /** The faults of the server so far. */
  faults() {
    this.#measure();
    if (this.#peak > MAX_MB) this.#faults.push(["over_memory", `the server took ${Math.round(this.#peak)} MB`]);
    const { exitCode, signalCode } = this.#process;
    if (!this.alive && exitCode !== 0)
      this.#faults.push(["internal", `the server ended with ${exitCode ?? signalCode}`]);
    const internal = this.#text.split("\n").find((line) => INTERNAL.test(line) && !OF_THE_SDK.test(line));
    if (internal !== undefined) this.#faults.push(["internal", internal]);
    return this.#faults;
  }

  async end() {
    this.#process.kill("SIGKILL");
    await this.#exited;
  }

  /** @param {number | string} id @param {number} ms */
  async #heard(id, ms) {
    if (!this.#reading)
      this.#process.stdout.setEncoding("utf8").on("data", (chunk) => {
        this.#text = (this.#text + chunk).slice(-KEPT);
      });
    this.#reading = true;
    const pattern = new RegExp(`"id":${JSON.stringify(id)}[,}]`);
    const until = performance.now() + ms;
    while (this.alive && performance.now() < until && !pattern.test(this.#text)) await sleep(5);
  }

  #measure() {
    try {
      const status = readFileSync(`/proc/${this.#process.pid}/status`, "latin1");
      this.#peak = Math.max(this.#peak, Number(/VmHWM:\s+(?<kib>\d+)/.exec(status)?.groups?.["kib"] ?? 0) / 1024);
    } catch {
      // It has ended, or the system does not say.
    }
  }
}

/** @param {number} ms @returns {Promise<void>} */
export function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
