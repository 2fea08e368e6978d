// @ts-check
// A repository with one packet, servants that note each of their starts, and what must hold of it however often it was killed.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "..");
const PROGRAM = join(ROOT, "dist/cli.cjs");
const SERVANTS = join(ROOT, "test/runner/servants");
const ID = "packet";
/** A run that takes longer hangs. */
const LONGEST_MS = 120_000;
/** A dispatcher that was killed has a guard, which ends its servant within this. */
const GONE_MS = 10_000;

/** Stages of each intent, in order. @type {Record<string, string[]>} */
export const PROFILES = {
  safe_impl: ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"],
  review_cross: ["gemini_review", "codex_review", "copilot_review_consolidate"],
  post_impl_review: [
    "gemini_review",
    "gemini_test_design",
    "gemini_static_verify",
    "codex_review",
    "codex_test_impl",
    "codex_verify",
  ],
};

/** @typedef {{ stage: string, at: "started" | "servant" | "commands" | "passed", ms: number }} KillPoint */
/** @typedef {{ type: string, payload: { stage?: string, paid?: boolean } }} LoggedEvent */

const ARGUMENTS = {
  codex: ["exec", "--model", "{model}", "--role", "{role}", "-"],
  gemini: ["-m", "{model}", "--role", "{role}", "--prompt-file", "{prompt_file}"],
  copilot: ["--model", "{model}", "--role", "{role}", "-p"],
};
const PROMPTS = { codex: "stdin", gemini: "file", copilot: "argument" };

/** Notes its number, and every servant before it that still runs; then becomes the servant. */
const NOTING = `calls="$1"; shift
if [ -f "$calls" ]; then
  while read -r pid _; do
    case $(ps -o stat= -p "$pid") in ''|Z*) ;; *) echo "$pid overlaps $$" >> "$calls.overlaps" ;; esac
  done < "$calls"
fi
echo "$$" >> "$calls"
exec "$@"`;

export class PacketWorld {
  #profile;
  #folder;
  #repo;
  #calls;
  #ran;
  #stages;

  /** @param {string} folder @param {string} profile */
  constructor(folder, profile) {
    this.#profile = profile;
    this.#stages = PROFILES[profile] ?? [];
    this.#folder = folder;
    this.#repo = join(folder, "repo");
    this.#calls = join(folder, "calls");
    this.#ran = join(folder, "commands");
    mkdirSync(join(folder, "configs/servant"), { recursive: true });
    mkdirSync(join(folder, "inputs"));
    mkdirSync(this.#repo);
    for (const tool of /** @type {const} */ (["codex", "gemini", "copilot"])) {
      const servant = [process.execPath, join(SERVANTS, `${tool}.mjs`), ...ARGUMENTS[tool]];
      const config = {
        tool,
        command: ["sh", "-c", NOTING, "sh", this.#calls, ...servant],
        prompt: PROMPTS[tool],
        default_model: `${tool}-1`,
        allowed_models: [`${tool}-1`],
      };
      // JSON is also YAML.
      writeFileSync(join(folder, `configs/servant/${tool}.yaml`), JSON.stringify(config));
    }
    const verify = `echo $$ >> ${this.#ran}; sleep 0.3`;
    const manifest = {
      task_id: ID,
      goal: "Make a file",
      routing: { intent: profile },
      scope: { allow: ["src/", "test/"], deny: [] },
      acceptance: { commands: [verify], criteria: ["it is there"] },
      budgets: { retry_budget: 1, paid_call_budget: 100, max_wallclock_sec: 60 },
      context: { digest_policy: "auto" },
    };
    writeFileSync(join(folder, "manifest.yaml"), JSON.stringify(manifest));
    const request = [
      "servant-sleep: 0.2",
      "servant-write: src/made.txt made by codex",
      ...(profile === "safe_impl" ? [`servant-verify: ${verify}`] : ["servant-path: src/made.txt"]),
    ];
    writeFileSync(join(folder, "inputs/user_request.md"), `${request.join("\n")}\n`);
    this.#git("init", "-q");
    this.#git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "begin");
    this.#cli("init", "--workspace", "acme/repo");
    this.#cli("packet", "create", join(folder, "manifest.yaml"), "--inputs", join(folder, "inputs"), ...this.#config);
  }

  /** Each boundary of each stage, and a moment in the middle. @param {() => number} random @returns {KillPoint[]} */
  points(random) {
    return this.#stages.flatMap((stage) => [
      { stage, at: "started", ms: random() * 20 },
      { stage, at: "servant", ms: random() * 150 },
      ...(stage === "codex_verify" ? [/** @type {const} */ ({ stage, at: "commands", ms: random() * 250 })] : []),
      { stage, at: "passed", ms: random() * 20 },
    ]);
  }

  /** Runs the packet until it ends or comes to the point. @param {KillPoint} [point] */
  async run(point) {
    // An earlier kill came too late for its stage.
    if (point && this.#reached({ ...point, at: "passed" }) > 0) return { wasKilled: false };
    const before = point ? this.#reached(point) : 0;
    const args = [PROGRAM, "-C", this.#repo, "--json", "packet", "run", ID, "--allow-commands", ...this.#config];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    let ended = false;
    const end = new Promise((done) => child.on("close", () => done((ended = true))));
    const limit = Date.now() + LONGEST_MS;
    while (!ended && (!point || this.#reached(point) <= before)) {
      if (Date.now() > limit) throw new Error(`expected the run to end within ${LONGEST_MS} ms`);
      await sleep(2);
    }
    if (point) await sleep(point.ms);
    const wasKilled = !ended && child.kill("SIGKILL");
    await end;
    if (!point && JSON.parse(said).result?.outcome !== "done")
      throw new Error(`expected the packet done, found ${said}`);
    return { wasKilled };
  }

  /** How often the run has come to a point. @param {KillPoint} point */
  #reached({ stage, at }) {
    if (at === "servant") return this.#startsOf(stage) === 0 ? 0 : this.#lines(this.#calls).length;
    if (at === "commands") return this.#lines(this.#ran).length;
    return this.#events().filter(({ type, payload }) => type === `stage.${at}` && payload.stage === stage).length;
  }

  /** @param {string} stage */
  #startsOf(stage) {
    return this.#events().filter(({ type, payload }) => type === "stage.started" && payload.stage === stage).length;
  }

  /** Whole lines of the log. */
  lines() {
    return this.#lines(join(this.#task, "events.jsonl"));
  }

  /** Stages that passed and have no marker, or none at all. */
  lost() {
    const done = this.#markers();
    const { stages_completed } = JSON.parse(readFileSync(join(this.#task, "state/stats.json"), "utf8"));
    return this.#stages
      .filter((stage) => !done.includes(stage) || !stages_completed.includes(stage))
      .map((stage) => `${this.#profile}: ${stage}`);
  }

  /** Servants that started without a payment in the log, payments that are not counted, and stages that ran again after they passed. */
  paidTwice() {
    const events = this.#events();
    const paid = events.filter(({ type, payload }) => type === "stage.started" && payload.paid).length;
    const servants = this.#lines(this.#calls).length;
    const { paid_calls_used } = JSON.parse(readFileSync(join(this.#task, "state/stats.json"), "utf8"));
    const again = this.#stages.filter((stage) => {
      const own = events.filter(({ payload }) => payload.stage === stage);
      const passed = own.findIndex(({ type }) => type === "stage.passed");
      return own.slice(passed + 1).some(({ type }) => type === "stage.started");
    });
    return [
      ...(servants > paid ? [`${this.#profile}: ${servants} servants for ${paid} payments`] : []),
      ...(paid_calls_used === paid ? [] : [`${this.#profile}: stats say ${paid_calls_used}, the log ${paid}`]),
      ...again.map((stage) => `${this.#profile}: ${stage} ran again after it passed`),
    ];
  }

  /** Servants and commands that ran beside another, or run still. */
  async orphans() {
    const overlaps = this.#lines(`${this.#calls}.overlaps`);
    const pids = [...this.#lines(this.#calls), ...this.#lines(this.#ran)];
    const end = Date.now() + GONE_MS;
    while (pids.some(isRunning) && Date.now() < end) await sleep(100);
    return [...overlaps, ...pids.filter(isRunning)].map((text) => `${this.#profile}: process ${text}`);
  }

  /** Returns the differences from an undisturbed packet, and the files that the log does not fold to. @param {PacketWorld} other */
  differsFrom(other) {
    const [mine, theirs] = [this.#results(), other.#results()];
    const names = [...new Set([...mine.keys(), ...theirs.keys()])];
    const verify = JSON.parse(this.#cli("verify", "--json"));
    return [
      ...names.filter((name) => mine.get(name) !== theirs.get(name)).map((name) => `${this.#profile}: ${name}`),
      ...(verify.ok ? [] : [`${this.#profile}: verify finds ${JSON.stringify(verify.findings)}`]),
    ];
  }

  /** The results of stages that follow from the request alone. */
  #results() {
    const outputs = readdirSync(join(this.#task, "outputs")).filter((name) =>
      /^[a-z_]+\.[a-z]+\.(?:out|err)$/.test(name),
    );
    const files = [
      ...outputs.map((name) => `outputs/${name}`),
      "inputs/context_pack.md",
      "inputs/user_request.md",
    ].filter((name) => existsSync(join(this.#task, name)));
    // Each world has a folder of its own, and some texts name it.
    const textOf = (/** @type {string} */ name) =>
      readFileSync(join(this.#task, name), "utf8")
        .replaceAll(this.#folder, "")
        .replace(/\d+ characters of prompt/, "");
    const made = join(this.#repo, "src/made.txt");
    return new Map([
      ...files.map((name) => /** @type {const} */ ([name, textOf(name)])),
      ["src/made.txt", existsSync(made) ? readFileSync(made, "utf8") : ""],
      ["done", this.#markers().join(" ")],
    ]);
  }

  /** Stages with a marker; a file that a kill cut short has another kind of name, and git ignores it. */
  #markers() {
    const names = readdirSync(join(this.#task, "done"));
    return names
      .filter((name) => !name.startsWith(".tf-tmp-"))
      .map((name) => name.replace(/\.done$/, ""))
      .toSorted();
  }

  /** @returns {LoggedEvent[]} */
  #events() {
    return this.lines().map((line) => JSON.parse(line));
  }

  /** Without a last one that is still being written. @param {string} path */
  #lines(path) {
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  }

  get #task() {
    return join(this.#repo, ".coco/tasks", ID);
  }

  get #config() {
    return ["--config", join(this.#folder, "configs")];
  }

  /** @param {...string} args */
  #cli(...args) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "-C", this.#repo, ...args], {
      encoding: "utf8",
    });
    // 1: findings, which the answer names.
    if (status !== 0 && status !== 1) throw new Error(`taskfold ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  }

  /** @param {...string} args */
  #git(...args) {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("git", args, { cwd: this.#repo, env });
  }
}

/** @param {string} pid */
function isRunning(pid) {
  try {
    return !/^(?:Z|$)/.test(execFileSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).trim());
  } catch {
    // ps says by its exit code that there is none.
    return false;
  }
}
