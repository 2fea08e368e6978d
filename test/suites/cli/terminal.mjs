// @ts-check
// A terminal of a fixed width (tmux), in which one command after the other runs, and what stands on its screen afterwards.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** High enough that no command scrolls. */
const ROWS = 400;
const POLL_MS = 25;
/** A command that takes longer hangs. */
const PATIENCE_MS = 120_000;

/** @typedef {{ text: string, code: number, wraps: boolean }} Screen */

export class Terminal {
  #socket;
  #env;
  /** Where the exit code of the command stands. */
  #exit;

  /** @param {string} folder where its socket lies @param {NodeJS.ProcessEnv} env */
  constructor(folder, env) {
    this.#socket = join(folder, "tmux");
    this.#exit = join(folder, "exit");
    this.#env = env;
  }

  /** @param {number} columns @param {string} cwd */
  async open(columns, cwd) {
    const size = ["-x", String(columns), "-y", String(ROWS)];
    await this.#tmux("-f", "/dev/null", "new-session", "-d", "-s", "e2e", ...size, "-c", cwd, "cat");
    await this.#tmux("set-option", "-g", "remain-on-exit", "on");
    await this.#tmux("set-option", "-g", "status", "off");
    await this.#tmux("resize-window", "-t", "e2e", ...size);
  }

  async close() {
    await this.#tmux("kill-server");
  }

  /**
   * Runs one line of a shell. The `keys`, texts or names that tmux has for keys, are typed when their `prompt` stands on the screen.
   * @param {string} line @param {string} cwd @param {readonly { prompt: string, keys: string[] }[]} [dialog] @returns {Promise<Screen>}
   */
  async run(line, cwd, dialog = []) {
    rmSync(this.#exit, { force: true });
    await this.#tmux("clear-history", "-t", "e2e");
    // The shell stays: what is still on its way to the screen is lost when the last program of a terminal ends. Ctrl-C is for the command.
    const shown = `trap : INT\n${line}\nprintf '%s\\n' "$?" > '${this.#exit}'\nexec sleep 1000`;
    await this.#tmux("respawn-pane", "-k", "-t", "e2e", "-c", cwd, shown);
    const until = Date.now() + PATIENCE_MS;
    const turns = [...dialog];
    for (let before = ""; ;) {
      const [next] = turns;
      const screen = await this.#screen();
      if (next && screen.includes(next.prompt)) {
        turns.shift();
        await this.#tmux("send-keys", "-t", "e2e", ...next.keys);
      }
      const code = existsSync(this.#exit) ? readFileSync(this.#exit, "utf8") : "";
      // It has ended, and the terminal has shown all of it: two looks find the same.
      if (code.endsWith("\n") && screen === before) return { ...(await this.#whole()), code: Number(code) };
      if (Date.now() > until) throw new Error(`expected to end: ${line}\n${screen}`);
      before = code.endsWith("\n") ? screen : "";
      await pause(POLL_MS);
    }
  }

  async #whole() {
    const joined = await this.#screen();
    const rows = ended(await this.#tmux("capture-pane", "-p", "-S", "-", "-t", "e2e"));
    return { text: joined, wraps: rows.split("\n").length !== joined.split("\n").length };
  }

  /** Rows that the terminal broke are one again: where a command breaks its lines itself, they stay apart. */
  async #screen() {
    return ended(await this.#tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "e2e"));
  }

  /** @param {string[]} args */
  async #tmux(...args) {
    const { stdout } = await execute("tmux", ["-S", this.#socket, ...args], { env: this.#env, encoding: "utf8" });
    return stdout;
  }
}

/** @param {string} text */
function ended(text) {
  const rows = text.split("\n").map((row) => row.trimEnd());
  const kept = rows.filter((row) => !row.startsWith("Pane is dead"));
  return kept.join("\n").trimEnd();
}
