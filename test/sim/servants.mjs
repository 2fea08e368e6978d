// @ts-check
/**
 * The process groups of one machine: servants of a packet's stages and acceptance commands, as actors that a plan scripts. They write files,
 * print and end by the time of the world, whatever their dispatcher does. If that dies, its guard ends them.
 */
import { createHash } from "node:crypto";
import { ANSWERS, newFile } from "../runner/servants/answers.mjs";

/** @typedef {import("./disk.mjs").Disk} Disk */
/**
 * The behaviour of a servant, the next one's after it. `fail`: it exits with 1, `transient`: with 13, `silent`: it prints nothing and exits with 0. `hang`: it never ends
 * by itself. `ms`: how long it takes. `stubborn`: it ignores SIGTERM. `unguarded`: its guard dies with the dispatcher, and does not end it.
 * @typedef {{ does: "answer" | "fail" | "transient" | "silent" | "hang", ms: number, stubborn?: boolean, unguarded?: boolean }} Script
 */
/** A servant that began. `run`: the attempt that the log had under way. @typedef {{ stage: string, run: string | null, out: string, err: string, isWhole: boolean }} Start */
/** @typedef {{ group: number, owner: object, argv: string[], state: "launched" | "running" | "ended", isOrphan?: boolean, script: Script, said: { out: Buffer[], err: Buffer[] }, end: (code: number, signal: string | null, timedOut: boolean) => void }} Group */
/**
 * `push`: tells the owner, if it lives. `runOf`: the attempt of a stage that the log has under way.
 * @typedef {{ disk: Disk, later: (ms: number, run: () => void) => void, note: (line: string) => void, violate: (what: string) => void, runOf: (stage: string) => string | null }} Around
 */

/** As the runtime has it between SIGTERM and SIGKILL. */
const GRACE_MS = 5000;
const QUICK_MS = 3;
const SHELL = "/bin/sh";
/** @type {Script} */
const CALM = { does: "answer", ms: 20 };

export class Servants {
  /** All that ever began. @type {Start[]} */
  starts = [];
  /** From now on each servant answers. */
  calm = false;
  /** @type {Map<number, Group>} */
  #groups = new Map();
  #scripts;
  #around;

  /** @param {readonly Script[]} scripts of the servants that begin, in this order @param {Around} around */
  constructor(scripts, around) {
    this.#scripts = [...scripts];
    this.#around = around;
  }

  /** The command waits until `go`. @param {number} group @param {object} owner its process @param {string[]} argv */
  launch(group, owner, argv) {
    this.#groups.set(group, {
      group,
      owner,
      argv,
      script: CALM,
      state: "launched",
      said: { out: [], err: [] },
      end: () => undefined,
    });
  }

  /**
   * @param {number} group @param {number} limitMs @param {(stream: "out" | "err", bytes: Buffer) => void} heard
   * @param {(result: object) => void} ended
   */
  go(group, limitMs, heard, ended) {
    const one = this.#there(group);
    if (one.state === "ended") return ended(resultOf(137, "SIGKILL", false, 0));
    const isCommand = one.argv[0] === SHELL;
    if (!isCommand) this.#alone(one);
    one.state = "running";
    one.script = isCommand || this.calm ? CALM : (this.#scripts.shift() ?? CALM);
    let passed = 0;
    const start = isCommand ? null : this.#began(one);
    one.end = (code, signal, timedOut) => {
      if (one.state === "ended") return;
      one.state = "ended";
      this.#around.note(`group ${group} ends with ${signal ?? code}`);
      if (start) Object.assign(start, { out: digestOf(one.said.out), err: digestOf(one.said.err), isWhole: !signal });
      ended(resultOf(code, signal, timedOut, passed));
    };
    const steps = isCommand ? this.#command(one) : this.#work(one, String(group));
    const say = (/** @type {"out" | "err"} */ stream, /** @type {string} */ text) => {
      const bytes = Buffer.from(text);
      one.said[stream].push(bytes);
      heard(stream, bytes);
    };
    const step = () => {
      if (one.state === "ended") return;
      const { done, value } = steps.next(say);
      if (done) return one.end(value, null, false);
      passed += value;
      this.#around.later(value, step);
    };
    steps.next(say);
    this.#around.later(0, step);
    this.#around.later(limitMs, () => {
      if (one.state !== "running" || one.isOrphan) return;
      passed = limitMs;
      this.#around.note(`group ${group} has used its time`);
      this.signal(group, "SIGTERM", true);
      this.#around.later(GRACE_MS, () => this.signal(group, "SIGKILL", true));
    });
  }

  /** @param {number} group */
  isRunning(group) {
    const one = this.#groups.get(group);
    return one !== undefined && one.state !== "ended";
  }

  /** @param {number} group @param {string} signal */
  signal(group, signal, timedOut = false) {
    const one = this.#groups.get(group);
    if (!one || one.state === "ended" || (signal === "SIGTERM" && one.script.stubborn)) return;
    const end = () => one.end(signal === "SIGTERM" ? 143 : 137, signal, timedOut);
    if (one.state === "launched") one.state = "ended";
    else if (signal === "SIGKILL") end();
    else this.#around.later(QUICK_MS, end);
  }

  /** Groups that still run. */
  running() {
    return [...this.#groups.values()].filter(({ state }) => state !== "ended").map(({ group }) => group);
  }

  /** A process died: the guard ends what it started. @param {object} owner */
  orphaned(owner) {
    for (const one of this.#groups.values()) {
      const { group, state, owner: whose, script } = one;
      if (whose !== owner || state === "ended") continue;
      if (state === "running" && script.unguarded) {
        one.isOrphan = true;
        this.#around.note(`group ${group} goes on without its dispatcher`);
        continue;
      }
      this.signal(group, "SIGTERM");
      this.#around.later(GRACE_MS, () => this.signal(group, "SIGKILL"));
    }
  }

  /** The power fails: nothing runs any more. */
  stop() {
    for (const { group } of this.#groups.values()) this.signal(group, "SIGKILL");
  }

  /** @param {number} group @returns {Group} */
  #there(group) {
    const found = this.#groups.get(group);
    if (!found) throw new Error(`no group ${group}`);
    return found;
  }

  /** No servant begins while one of an earlier attempt may still write. @param {Group} one */
  #alone({ group }) {
    for (const other of this.#groups.values())
      if (other.group !== group && other.state === "running")
        this.#around.violate(`[PACKET-144] servant ${group} began while ${other.group} still ran`);
  }

  /** @param {Group} one @returns {Start} */
  #began({ group, argv }) {
    const stage = argv[argv.indexOf("--stage") + 1] ?? "";
    const run = this.#around.runOf(stage);
    const start = { stage, run, out: "", err: "", isWhole: false };
    this.#around.note(`servant ${group} of ${stage} begins for attempt ${run}`);
    this.starts.push(start);
    return start;
  }

  /** @param {Group} one @param {string} token @returns {Generator<number, number, (stream: "out" | "err", text: string) => void>} */
  *#work({ argv, script: { does, ms } }, token) {
    let say = yield 0;
    const role = argv[argv.indexOf("--role") + 1] ?? "";
    say = yield ms / 4;
    // A file of the repository, in two writes.
    if (role === "impl" || role === "test_impl") {
      const { disk } = this.#around;
      if (!disk.find("/w/src")) disk.mkdir("/w/src");
      const { ino } = disk.open("/w/src/made.txt", "a+");
      disk.truncate(ino, 0);
      disk.write(ino, Buffer.from("made by "), undefined);
      this.#around.note(`servant ${token} writes src/made.txt`);
      say = yield ms / 4;
      disk.write(ino, Buffer.from(`${token}\n`), undefined);
    }
    say("err", `servant ${token}\n`);
    say = yield ms / 4;
    if (does === "hang") for (;;) say = yield 1e6;
    if (does === "fail") return 1;
    if (does === "transient") return 13;
    if (does === "silent") return 0;
    const text = role === "impl" ? newFile("src/made.txt", `made by ${token}`) : answerOf(role, token);
    say("out", text.slice(0, text.length / 2));
    say = yield ms / 4;
    say("out", text.slice(text.length / 2));
    return 0;
  }

  /** An acceptance command, which always succeeds. @param {Group} one @returns {Generator<number, number, (stream: "out" | "err", text: string) => void>} */
  *#command({ group }) {
    let say = yield 0;
    say("out", `command ${group}\n`);
    say = yield 20;
    return 0;
  }
}

/** In the form of the role, and no two the same. @param {string} role @param {string} token */
function answerOf(role, token) {
  const text = ANSWERS[role]?.("") ?? "";
  return role === "test_impl"
    ? text.replace("test/made.txt", "src/made.txt").replace("made by codex", `made by ${token}`)
    : `${text}\nBy servant ${token}.\n`;
}

/** @param {number} exit_code @param {string | null} signal @param {boolean} timed_out @param {number} duration_ms */
function resultOf(exit_code, signal, timed_out, duration_ms) {
  return { exit_code, signal, timed_out, aborted: false, duration_ms, not_started: null };
}

/** @param {Buffer[]} chunks */
function digestOf(chunks) {
  return createHash("sha256").update(Buffer.concat(chunks)).digest("hex");
}
