// @ts-check
// A repository with signed proof, and an attacker who may write every file of it and call every tool, and who has no trusted key.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Clone } from "../../support/git_clone.mjs";

const dist = join(import.meta.dirname, "../../../dist");
/** @type {typeof import("../../../src/hosts/cli/run.ts")} */
const { runCli } = await import(`${dist}/hosts/cli/run.js`);
/** @type {typeof import("../../../src/log/canonical.ts")} */
const { canonicalJson, sha256 } = await import(`${dist}/log/canonical.js`);
/** @type {typeof import("../../../src/log/envelope.ts")} */
const { sealOp } = await import(`${dist}/log/envelope.js`);
/** @type {typeof import("../../../src/attest/envelope.ts")} */
const { envelopeText, readEnvelope } = await import(`${dist}/attest/envelope.js`);
/** @type {typeof import("../../../src/attest/pae.ts")} */
const { pae } = await import(`${dist}/attest/pae.js`);
/** @type {typeof import("../../../src/hosts/signatures/open_signers.ts")} */
const { openSigners } = await import(`${dist}/hosts/signatures/open_signers.js`);
/** @type {typeof import("../../../src/hosts/git/git_port.ts")} */
const { openGit } = await import(`${dist}/hosts/git/git_port.js`);
/** @type {typeof import("../../../src/index.ts")} */
const { openWorkspace } = await import(`${dist}/index.js`);

/** @typedef {import("../../../src/log/types.ts").Event} Event */
/** @typedef {{ type: string, payload: import("../../../src/log/types.ts").Payload }} Draft */
/** @typedef {import("../../../src/state/json.ts").JsonObject} JsonObject */
/** An item of evidence as a log has it. @typedef {{ sha256: string, size: number, excerpt?: string }} Kept */
/** @typedef {{ exit_code?: number, counts?: boolean, stdout?: Kept, captured?: { argv: string[], git_commit: string, changes?: Kept }, attestation?: { envelope: Kept } }} Item */
/** @typedef {{ step_id: string, path: string, titles: string[], success_criteria: string[], tests: string[], evidence: JsonObject[] }} SaidStep */
/** @typedef {{ heads: string[], steps: SaidStep[] }} Said */
/** A statement that is signed. @typedef {{ subject: { name: string, digest: { [algorithm: string]: string } }[], predicate: { [type: string]: Said } }} Statement */
/** @typedef {{ ana: string, agnes: string, paula: string, eve: string, mona: string, old: string, lost: string, signers: string, revoked: string, askpass: string, wrong: string }} Keys */

/** The step that is to pass: the closed one of that title in that task. @typedef {{ task: string, title: string }} Target */

/** Keys and whom the reader trusts, outside of every repository. @param {string} folder @returns {Keys} */
export function makeKeys(folder) {
  mkdirSync(folder, { recursive: true });
  const made = Object.fromEntries(
    ["ana", "agnes", "paula", "eve", "mona", "old", "lost"].map((name) => {
      const file = join(folder, name);
      const passphrase = name === "paula" ? PASSPHRASE : "";
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", file]);
      return [name, file];
    }),
  );
  const program = (/** @type {string} */ name, /** @type {string} */ says) => {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
    return file;
  };
  const [askpass, wrong] = [program("askpass", PASSPHRASE), program("wrong", "a guess")];
  const line = (/** @type {string} */ name, /** @type {string} */ options) =>
    `${name}@example.org ${options}${readFileSync(join(folder, `${name}.pub`), "utf8")}`;
  const signers = join(folder, "allowed_signers");
  // Mona may sign commits alone, the old key has expired, and the lost one was revoked.
  writeFileSync(
    signers,
    ["ana", "agnes", "paula"].map((name) => line(name, "")).join("") +
      line("mona", 'namespaces="git" ') +
      line("old", 'valid-before="20200101" ') +
      line("lost", ""),
  );
  const revoked = join(folder, "revoked_keys");
  writeFileSync(revoked, readFileSync(join(folder, "lost.pub")));
  return /** @type {Keys} */ ({ ...made, signers, revoked, askpass, wrong });
}

const PASSPHRASE = "correct horse";

/** Runs with an agent of SSH that has these keys. @template T @param {readonly string[]} keys @param {() => Promise<T>} work @returns {Promise<T>} */
export async function withAgent(keys, work) {
  const said = execFileSync("ssh-agent", ["-s"], { encoding: "utf8" });
  const agent = Object.fromEntries([...said.matchAll(/(SSH_\w+)=([^;]+);/g)].map(([, name, value]) => [name, value]));
  try {
    execFileSync("ssh-add", ["-q", ...keys], { env: { ...process.env, ...agent }, stdio: "pipe" });
    return await withEnvironment(agent, work);
  } finally {
    execFileSync("ssh-agent", ["-k"], { env: { ...process.env, ...agent }, stdio: "pipe" });
  }
}

/** Runs where a program answers for the person whom ssh-keygen asks for a passphrase. @template T @param {string} program @param {() => Promise<T>} work @returns {Promise<T>} */
export function withAskpass(program, work) {
  return withEnvironment({ SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":0" }, work);
}

/** @template T @param {Record<string, string>} more @param {() => Promise<T>} work @returns {Promise<T>} */
async function withEnvironment(more, work) {
  const before = { ...process.env };
  Object.assign(process.env, more);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(more)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The command line in this process; git, ssh-keygen and the commands of runs are processes. @param {string} root @param {readonly string[]} args @param {{ fails?: boolean, by?: string }} [options] */
export async function taskfold(root, args, { fails = false, by = "ada" } = {}) {
  let said = "";
  const print = (/** @type {string} */ text) => void (said += text);
  const stdin = () => Promise.resolve(Buffer.alloc(0));
  const io = { env: process.env, cwd: root, color: false, stdout: print, stderr: print, stdin };
  const code = await runCli(["--by", by, ...args], io);
  if ((code === 0) === fails) throw new Error(`taskfold ${args.join(" ")} ended with ${code}: ${said}`);
  return said;
}

/** Git and everything below it see no configuration of this machine and user, until what this returns is called. */
export function withoutConfiguration() {
  const before = { ...process.env };
  Object.assign(process.env, Clone.env, { PATH: before["PATH"] });
  return () => {
    for (const name of Object.keys(Clone.env)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

/** @param {string} root @param {...string} args */
export function git(root, ...args) {
  return execFileSync("git", args, { cwd: root, env: Clone.env, encoding: "utf8" });
}

/**
 * TASK-001 has a step that is proved, signed and closed, and one that is neither. TASK-002 is the same task, signed too. Of TASK-003 a signed
 * step got another test, which was never run. TASK-004 has a run that failed after the signature, and a checkpoint of history behind that.
 * The packet of TASK-005 passed, which is signed; that of TASK-006 never ran. The key of TASK-002 is in an agent, that of TASK-003 has a
 * passphrase.
 * @param {string} root @param {Keys} keys @param {string} workspace @param {{ isWhole?: boolean }} [options]
 */
export async function makeRepository(root, keys, workspace, { isWhole = true } = {}) {
  mkdirSync(root, { recursive: true });
  Clone.init(root);
  writeFileSync(join(root, "parse.mjs"), 'console.log("ok 1 - parses");\n');
  writeFileSync(join(root, "print.mjs"), "process.exit(1);\n");
  const run = (/** @type {string[]} */ ...args) => taskfold(root, args);
  await run("init", "--workspace", workspace, "-q");
  await run("plan", "add", "Version 2");
  await addTask(root, "A parser");
  if (isWhole) await addTask(root, "Another parser");
  if (isWhole) await addStep(root, "A redefined one", "true");
  if (isWhole) await addTask(root, "One that failed");
  if (isWhole) for (const title of ["A packet that passed", "A packet that never ran"]) await addPacket(root, title);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  git(root, "config", "gpg.ssh.allowedSignersFile", keys.signers);
  git(root, "config", "gpg.ssh.revocationFile", keys.revoked);
  const signed = (/** @type {string} */ task, key = keys.ana) => run("attest", task, "s:0", "--key", key);
  const prove = async (/** @type {string} */ task, /** @type {string} */ command, sign = () => signed(task)) => {
    await run("run", task, "s:0", "--for", "tests", "--", ...command.split(" "));
    await sign();
    await run("done", task, "s:0", "--confirm", "gate");
  };
  await prove("TASK-001", "node parse.mjs");
  if (!isWhole) return;
  await prove("TASK-002", "node parse.mjs", () =>
    withAgent([keys.agnes], () => signed("TASK-002", `${keys.agnes}.pub`)),
  );
  await prove("TASK-003", "true", () => withAskpass(keys.askpass, () => signed("TASK-003", keys.paula)));
  await prove("TASK-004", "node parse.mjs");
  await passPacket(root, "TASK-005");
  await run("attest", "TASK-005", "s:0", "--claims", "--key", keys.ana);
  await run("done", "TASK-005", "s:0", "--confirm", "gate");
  await run("call", "tasks_define", JSON.stringify({ task: "TASK-003", path: "s:0", tests: ["node print.mjs"] }));
  writeFileSync(join(root, "parse.mjs"), "process.exit(1);\n");
  await taskfold(root, ["run", "TASK-004", "s:0", "--for", "tests", "--", "node", "parse.mjs"], { fails: true });
  writeFileSync(join(root, "parse.mjs"), 'console.log("ok 1 - parses");\n');
  await run("sign", "--key", keys.ana, "--out", join(root, "../", `${workspace.replace("/", "-")}.seen`));
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Work");
}

/** A task with the step "Parse". @param {string} root @param {string} title @param {string} test */
function addStep(root, title, test) {
  const step = ["--step", "Parse", "--criteria", "it parses", "--test", test, "--proof", "tests=attested"];
  return taskfold(root, ["add", title, "--plan", "PLAN-001", ...step]);
}

/** A task with the step "Parse", whose tests its packet proves. @param {string} root @param {string} title */
async function addPacket(root, title) {
  const step = { title: "Parse", success_criteria: ["it parses"], tests: ["node parse.mjs"], packet: true };
  await taskfold(root, [
    "call",
    "tasks_create",
    JSON.stringify({ parent: "PLAN-001", kind: "task", title, steps: [step] }),
  ]);
  const id = newestTask(root);
  const manifest = {
    goal: title,
    routing: { intent: "safe_impl" },
    scope: { allow: ["parse.mjs"], deny: [] },
    acceptance: { commands: ["node parse.mjs"], criteria: [] },
    budgets: { retry_budget: 1, paid_call_budget: 6, max_wallclock_sec: 60 },
    context: { digest_policy: "auto" },
  };
  await taskfold(root, ["call", "packet_define", JSON.stringify({ task: id, manifest })]);
}

export const STAGE = "codex_verify";

/** The verifying stage by the tools, with the results that its caller reports. @param {string} root @param {string} task @param {string} [command] */
export async function passPacket(root, task, command = "node parse.mjs") {
  const call = (/** @type {string} */ tool, /** @type {object} */ input) =>
    taskfold(root, ["call", tool, JSON.stringify({ task, stage: STAGE, ...input })]);
  await call("packet_stage_start", {});
  await call("packet_stage_finish", {
    exit_code: 0,
    out: "ran",
    acceptance: [{ command, exit_code: 0, stdout: "ok" }],
  });
}

/** @param {string} root */
function newestTask(root) {
  return readdirSync(join(root, ".coco/tasks"))
    .filter((name) => name.startsWith("TASK-"))
    .sort()
    .at(-1);
}

/** The same with the step "Print" behind it. @param {string} root @param {string} title */
async function addTask(root, title) {
  await addStep(root, title, "node parse.mjs");
  await taskfold(root, [
    "call",
    "tasks_decompose",
    JSON.stringify({
      task: newestTask(root),
      steps: [
        { title: "Print", success_criteria: ["it prints"], tests: ["node print.mjs"], proof: { tests: "attested" } },
      ],
    }),
  ]);
}

/** @template T @param {T | undefined} found @returns {T} */
export function must(found) {
  if (found === undefined) throw new Error("The log lacks what the attack needs.");
  return found;
}

/** The items of evidence of an event: what is changed in them is changed in the event. @param {Event} event @returns {Item[]} */
export function itemsOf({ payload }) {
  return /** @type {Item[]} */ (payload["items"] ?? []);
}

/** The digits of a hash that ids of evidence and of attempts have. @param {string} hash */
export function short(hash) {
  return Buffer.from(hash, "base64url").toString("hex").slice(0, 20);
}

/** One attack: a copy of the repository, and what an attacker can do there. */
export class Forger {
  /** @param {string} root @param {{ keys: Keys, other: string, seen: string }} world */
  constructor(root, { keys, other, seen }) {
    this.root = root;
    this.keys = keys;
    /** Another workspace with the same ids, whose step "Print" is proved and signed. */
    this.other = other;
    this.seen = seen;
  }

  /** @param {string} id */
  logPath(id) {
    return join(this.root, ".coco/tasks", id, "events.jsonl");
  }

  /** @param {string} id @returns {Event[]} */
  log(id) {
    return readFileSync(this.logPath(id), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** @param {string} id @param {readonly Event[]} events */
  write(id, events) {
    writeFileSync(this.logPath(id), events.map((event) => `${canonicalJson(event)}\n`).join(""));
  }

  /** The same events with hashes that are right again, and everything that names them. @param {readonly Event[]} events */
  resealed(events) {
    /** @type {Map<string, string>} */
    const names = new Map();
    return events.map((event) => {
      let text = canonicalJson(event);
      for (const [before, after] of names)
        text = text.replaceAll(before, after).replaceAll(`-${short(before)}-`, `-${short(after)}-`);
      const { hash: _hash, ...rest } = JSON.parse(text);
      const after = sha256(canonicalJson(rest));
      if (after !== event.hash) names.set(event.hash, after);
      return /** @type {Event} */ ({ ...rest, hash: after });
    });
  }

  /** Appends one op past every gate. @param {string} id @param {readonly Draft[]} drafts @param {{ upon?: Event, by?: string }} [options] @returns {Event[]} */
  append(id, drafts, { upon, by = "agent:eve" } = {}) {
    const events = this.log(id);
    const named = new Set(events.flatMap(({ prev }) => prev));
    const heads = upon ? [upon] : events.filter(({ hash }) => !named.has(hash));
    const sealed = sealOp({
      taskId: id,
      by,
      ts: events.at(-1)?.ts ?? "",
      tool: "tasks_done",
      opId: `eve${events.length}0000000000000`,
      heads: heads.map(({ hash }) => hash),
      seq: Math.max(...heads.map(({ seq }) => seq)),
      drafts,
    });
    writeFileSync(this.logPath(id), Buffer.concat([readFileSync(this.logPath(id)), sealed.bytes]));
    return sealed.events;
  }

  /** @param {string} id @param {string | Uint8Array} bytes */
  blob(id, bytes) {
    const digest = createHash("sha256").update(bytes).digest("hex");
    const folder = join(this.root, ".coco/tasks", id, "shared/evidence/blobs");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, digest), bytes);
    return { sha256: digest, size: Buffer.byteLength(bytes) };
  }

  /** @param {string} id @param {string} title */
  stepId(id, title) {
    const steps = this.log(id).flatMap(({ type, payload }) => {
      if (type === "steps.added" || type === "task.created")
        return /** @type {{ id: string, title: string }[]} */ (payload["steps"] ?? []);
      return [];
    });
    const found = steps.find((step) => step.title === title);
    if (!found) throw new Error(`There is no step ${title} of ${id}.`);
    return found.id;
  }

  /** A run as Taskfold would record it, and that was never made. @param {string} id @param {string} step @param {JsonObject} [more] */
  fakeRun(id, step, more = {}) {
    const commit = git(this.root, "rev-parse", "HEAD").trim();
    const stdout = { ...this.blob(id, "ok 1 - prints\n"), excerpt: "ok 1 - prints\n" };
    const item = {
      kind: "command-execution",
      title: "node print.mjs",
      summary: "",
      counts: true,
      command: "node print.mjs",
      exit_code: 0,
      stdout,
      test: "node print.mjs",
      captured: {
        argv: ["node", "print.mjs"],
        env: [],
        started_at: "2026-01-01T00:00:00.000Z",
        ended_at: "2026-01-01T00:00:01.000Z",
        git_commit: commit,
        tree: "0".repeat(64),
        platform: "linux-x64 node-22.1.0",
        checkout: "clean",
      },
      ...more,
    };
    const payload = { step_id: step, checkpoints: ["tests"], items: [item], long_ids: true, message: "Captured" };
    const [event] = this.append(id, [{ type: "evidence.captured", payload }], {
      by: "agent:mallory",
    });
    return { event: must(event), id: `cmd-${short(must(event).hash)}-1` };
  }

  /** An item that says that this envelope vouches for evidence. @param {string} id @param {string | Uint8Array} envelope @param {readonly string[]} of @param {JsonObject} [more] */
  attach(id, envelope, of, more = {}) {
    const attestation = {
      envelope: this.blob(id, envelope),
      of: [...of],
      head: "0".repeat(43),
      revision: 1,
      git_commit: git(this.root, "rev-parse", "HEAD").trim(),
      key: "SHA256:ana",
      ...more,
    };
    const item = { kind: "runtime-event-range", title: "Signature", summary: "", counts: false, attestation };
    const payload = { step_id: null, checkpoints: [], items: [item], message: "Signed" };
    this.append(id, [{ type: "evidence.captured", payload }]);
  }

  /**
   * A stage of the packet that passed without being run, past every gate, with a result of this command. `isOld`: as releases wrote it that did
   * not say by what the gate judges. @param {string} id @param {{ command?: string, captured?: boolean, isOld?: boolean }} [options]
   */
  forgePass(id, { command = "node parse.mjs", captured = false, isOld = false } = {}) {
    const real = (/** @type {string} */ type) =>
      structuredClone(must(this.log("TASK-005").find((event) => event.type === type)).payload);
    const { judged_by, ...started } = real("stage.started");
    const began = { ...started, ...(isOld || judged_by === undefined ? {} : { judged_by }) };
    const run = short(must(this.append(id, [{ type: "stage.started", payload: began }])[0]).hash);
    const result = { command, exit_code: 0, timed_out: false, duration_sec: 1, excerpt: "ok" };
    const told = { ...result, ...(isOld ? {} : { from: "manifest" }), ...(captured ? { captured } : {}) };
    this.append(id, [
      { type: "stage.finished", payload: { ...real("stage.finished"), run, acceptance: [told] } },
      { type: "stage.passed", payload: { ...real("stage.passed"), run } },
    ]);
  }

  /** Puts other acceptance commands into the manifest, past every gate. @param {string} id @param {readonly string[]} commands */
  editManifest(id, commands) {
    const defined = structuredClone(must(this.log("TASK-005").find(({ type }) => type === "packet.defined")).payload);
    const manifest = /** @type {JsonObject} */ (defined["manifest"]);
    manifest["acceptance"] = { commands: [...commands], criteria: [] };
    this.append(id, [{ type: "packet.defined", payload: defined }]);
  }

  /** Confirms and closes past the gate. @param {string} id @param {string} step */
  close(id, step) {
    this.append(id, [
      {
        type: "step.verified",
        payload: { step_id: step, checkpoints: { criteria: true, tests: true }, message: "Confirmed" },
      },
      { type: "step.done", payload: { step_id: step, message: "Closed" } },
    ]);
  }

  /** @param {string} id @param {import("../../../src/log/types.ts").Payload} patch @param {string} step */
  define(id, step, patch) {
    this.append(id, [{ type: "step.defined", payload: { step_id: step, ...patch, message: "Defined" } }]);
  }

  /** The envelopes in a log, the latest last. @param {string} id @param {string} [root] */
  envelopes(id, root = this.root) {
    const lines = readFileSync(join(root, ".coco/tasks", id, "events.jsonl"), "utf8")
      .split("\n")
      .filter(Boolean);
    const items = lines.flatMap((line) => itemsOf(/** @type {Event} */ (JSON.parse(line))));
    return items.flatMap(({ attestation }) =>
      attestation
        ? [readFileSync(join(root, ".coco/tasks", id, "shared/evidence/blobs", attestation.envelope.sha256))]
        : [],
    );
  }

  /** The signed statement of an envelope, as JSON. @param {Uint8Array} envelope @returns {Statement} */
  statement(envelope) {
    const read = readEnvelope(envelope);
    if (typeof read === "string") throw new Error(read);
    return JSON.parse(read.payload.toString("utf8"));
  }

  /** The signature of an envelope. @param {Uint8Array} envelope */
  signature(envelope) {
    const read = readEnvelope(envelope);
    if (typeof read === "string") throw new Error(read);
    return read.signature;
  }

  /** @param {object} statement */
  bytesOf(statement) {
    return Buffer.from(canonicalJson(statement));
  }

  /** An envelope as a text. @param {object} envelope */
  text(envelope) {
    return `${canonicalJson(envelope)}\n`;
  }

  /** An envelope as its writer likes it. @param {Uint8Array} payload @param {string} signature */
  sealed(payload, signature) {
    const text = envelopeText(payload, signature);
    if (text === undefined) throw new Error("That is no signature.");
    return text;
  }

  /** A signature by a key over these bytes. @param {string} key @param {Uint8Array} payload @param {{ namespace?: string }} [options] */
  signedBy(key, payload, { namespace = "taskfold" } = {}) {
    return execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", key, "-n", namespace], {
      input: pae(payload),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    });
  }

  /** A statement that says what the attacker wants: the signed one of "Parse", about another step, run and head. @param {string} id @param {string} step @param {Event} run */
  wanted(id, step, run) {
    const statement = this.statement(this.envelopes(id)[0] ?? Buffer.alloc(0));
    const said = must(statement.predicate[VERIFICATION]);
    const signed = must(said.steps[0]);
    signed.step_id = step;
    signed.path = "s:1";
    signed.titles = ["Print"];
    signed.success_criteria = ["it prints"];
    signed.tests = ["node print.mjs"];
    Object.assign(must(signed.evidence[0]), {
      event: run.hash,
      item: 0,
      test: "node print.mjs",
      command: "node print.mjs",
    });
    said.heads = [run.hash];
    statement.subject = statement.subject.slice(0, 1).concat({
      name: must(statement.subject.at(-1)).name,
      digest: { sha256: Buffer.from(run.hash, "base64url").toString("hex") },
    });
    return statement;
  }

  /** @param {readonly string[]} args @param {{ fails?: boolean, by?: string }} [options] */
  taskfold(args, options) {
    return taskfold(this.root, args, { by: "agent:eve", ...options });
  }

  /** @param {...string} args */
  git(...args) {
    return git(this.root, ...args);
  }
}

export const VERIFICATION = "https://taskfold.github.io/attestation/verification/v1";

/**
 * The report for a reader who trusts ana. Files that follow from the logs are written anew first, so that no other fault hides a signature
 * that was believed.
 * @param {string} root @param {Keys} keys @param {{ seen?: string | undefined, fresh?: boolean, byMode?: boolean, file?: string | undefined }} [options]
 */
export async function judged(root, keys, { seen, fresh = false, byMode = false, file = keys.signers } = {}) {
  const workspace = openWorkspace({ root, git: () => openGit(root) });
  try {
    await workspace.repair.rebuild();
    const signers = openSigners(root, file === "" ? undefined : file);
    const kept =
      seen === undefined
        ? []
        : readFileSync(seen, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => Buffer.from(`${line}\n`));
    try {
      return workspace.verify(undefined, { signatures: { judge: signers.judge, byMode, fresh, seen: kept } });
    } finally {
      signers.end();
    }
  } finally {
    await workspace.close();
  }
}

/** @param {string} from @param {string} to */
export function copied(from, to) {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  return to;
}
