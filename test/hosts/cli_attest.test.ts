// @module-tag long
// @module-tag rotating
/** `taskfold attest`, `sign` and `verify --signers`, with real keys, real git and ssh-keygen. */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import { openSigners } from "../../src/hosts/signatures/open_signers.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { openWorkspace } from "../../src/index.ts";
import type { EntityVerdict } from "../../src/attest/vouched.ts";
import { someKey } from "../support/signing.ts";
import { fileTempFolder, tempFolder } from "../support/temp.ts";
import { json, refused, run } from "./cli_support.ts";

const ana = someKey();
const eve = someKey();
const SIGNERS = ana.file("allowed_signers", ana.line("ana"));

interface Report {
  ok: boolean;
  vouched: EntityVerdict[];
  findings: { code: string; message: string; info?: true }[];
}

/** A repository with a commit, and a task with a step that wants a signed proof of its test: a copy of the first one. */
async function world(): Promise<string> {
  const cwd = join(tempFolder(), "repository");
  const made = join(FIRST, "repository");
  if (!existsSync(made)) await makeWorld(made);
  cpSync(made, cwd, { recursive: true });
  return cwd;
}

const FIRST = fileTempFolder();

async function makeWorld(cwd: string): Promise<void> {
  mkdirSync(cwd);
  Clone.init(cwd);
  writeFileSync(join(cwd, "parse.mjs"), "console.log('ok');\n");
  await ok(cwd, "init", "--workspace", "acme/repo", "-q");
  const step = ["--step", "Parse", "--criteria", "it parses", "--test", "node parse.mjs", "--proof", "tests=attested"];
  await ok(cwd, "add", "A parser", ...step, "-q");
  commit(cwd);
}

function commit(cwd: string): void {
  new Clone(cwd).commit("More");
}

async function ok(cwd: string, ...argv: string[]): Promise<string> {
  const { code, out, err } = await run({ cwd }, ...argv);
  if (code !== 0) throw new Error(`${argv.join(" ")}: ${out}${err}`);
  return out;
}

const proved = async (cwd: string): Promise<void> => {
  await ok(cwd, "run", "1", "Parse", "--", "node", "parse.mjs");
};
const attest = (cwd: string, ...more: string[]): Promise<string> => ok(cwd, "attest", "--key", ana.path, ...more);
const git = (cwd: string, ...args: string[]): void => void new Clone(cwd).git(...args);

async function verified(cwd: string, ...options: string[]): Promise<Report & { code: number }> {
  const { code, doc } = await json({ cwd }, "verify", "--signers", SIGNERS, ...options);
  return { code, ...(doc as unknown as Report) };
}
const step = ({ vouched }: Report) => vouched.find(({ id }) => id === "TASK-001")!.steps[0]!;

describe("taskfold attest", () => {
  it("[ATTEST-5] [ATTEST-3] signs what Taskfold captured, keeps the envelope in the log, and writes it for other tools", async () => {
    const cwd = await world();
    expect(await refused(cwd, "NOTHING_TO_SIGN", 1, "attest", "--key", ana.path)).toContain("no signature names");
    await proved(cwd);
    const { doc } = await json({ cwd }, "attest", "1", "--key", ana.path, "--out", "../proof.jsonl");
    const [row] = (
      doc as unknown as {
        signed: { evidence: string; proofs: { evidence: string }[]; key: string }[];
      }
    ).signed;
    expect(row).toMatchObject({
      id: "TASK-001",
      revision: 2,
      key: ana.fingerprint,
      proofs: [{ path: "s:0", command: "node parse.mjs", by: expect.stringMatching(/^human:/), degree: "captured" }],
    });
    const [envelope, ...more] = readFileSync(join(cwd, "../proof.jsonl"), "utf8").trim().split("\n");
    expect(more).toEqual([]);
    const log = readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8").trim().split("\n");
    const { payload } = JSON.parse(log.at(-1)!) as {
      payload: { items: { attestation: { envelope: { sha256: string }; of: string[] } }[] };
    };
    const { attestation } = payload.items[0]!;
    expect(attestation.of).toEqual(row!.proofs.map(({ evidence }) => evidence));
    const kept = join(cwd, ".coco/tasks/TASK-001/shared/evidence/blobs", attestation.envelope.sha256);
    expect(readFileSync(kept, "utf8")).toBe(`${envelope}\n`);
    // Signed once, it is not taken again by itself.
    await refused(cwd, "NOTHING_TO_SIGN", 1, "attest", "--key", ana.path);
    expect(await refused(cwd, "INVALID_INPUT", 2, "sign", "--key", ana.path, "--out", "../proof.jsonl")).toContain(
      "new file",
    );
  });

  it("[ATTEST-5] signs no claim unless it is told to, and nothing of a step whose newest run failed", async () => {
    const cwd = await world();
    const item = { kind: "run", command: "node parse.mjs", exit_code: 0, stdout: "ok" };
    await ok(
      cwd,
      "call",
      "tasks_evidence_capture",
      JSON.stringify({ task: "TASK-001", path: "s:0", checkpoint: "tests", items: [item] }),
    );
    expect(await refused(cwd, "NOTHING_TO_SIGN", 1, "attest", "1", "--key", ana.path)).toContain("--claims");
    const before = readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"));
    await attest(cwd, "1", "--claims");
    expect(step(await verified(cwd))).toMatchObject({ vouched: true, by: ["ana@example.org"] });
    expect(step(await verified(cwd, "--fresh"))).toMatchObject({ vouched: true });
    writeFileSync(join(cwd, "parse.mjs"), "process.exit(3);\n");
    // Of a claim the files of the commit are compared that was signed with it.
    expect(step(await verified(cwd, "--fresh")).why[0]).toMatch(/is stale: 1 file changed since, such as parse\.mjs/);
    expect((await run({ cwd }, "run", "1", "Parse", "--", "node", "parse.mjs")).code).toBe(3);
    expect(await refused(cwd, "NOTHING_TO_SIGN", 1, "attest", "1", "Parse", "--key", ana.path)).toContain(
      "its newest run failed",
    );
    expect(before.length).toBeGreaterThan(0);
    expect(step(await verified(cwd))).toMatchObject({ vouched: false });
  });

  it("[ATTEST-7] needs a key: the one that is named, else the one with which git signs by SSH", async () => {
    const cwd = await world();
    await proved(cwd);
    await refused(cwd, "SIGNING_KEY_REQUIRED", 2, "attest");
    git(cwd, "config", "user.signingKey", ana.path);
    await refused(cwd, "SIGNING_KEY_REQUIRED", 2, "attest");
    git(cwd, "config", "gpg.format", "ssh");
    await refused(cwd, "SIGNING_KEY_REQUIRED", 2, "attest", "--key", "nothing");
    expect(await refused(cwd, "SIGNING_FAILED", 1, "attest", "--key", "parse.mjs")).toContain("ssh-keygen");
    expect(await ok(cwd, "attest")).toContain(ana.fingerprint);
    const before = process.env["PATH"];
    process.env["PATH"] = join(cwd, "no");
    try {
      const { err } = await run({ cwd }, "attest", "1", "--key", ana.path);
      expect(err).toMatch(/git|openssh-client/);
      expect(() => openSigners(cwd, SIGNERS)).toThrow("ssh-keygen");
    } finally {
      process.env["PATH"] = before;
    }
  });
});

describe("what attest signs", () => {
  it("[ATTEST-5] is what its caller recorded; it names each entry, and --all signs those of other actors too", async () => {
    const cwd = await world();
    await ok(cwd, "--by", "agent:eve", "run", "1", "Parse", "--for", "tests", "--", "node", "-e", "0");
    for (const words of [[], ["1"], ["1", "Parse"]]) {
      const said = await refused(cwd, "NOTHING_TO_SIGN", 1, "attest", ...words, "--key", ana.path);
      expect(said).toMatch(/node -e 0 \(evidence:cmd-\w+-1\) by agent:eve, captured/);
      expect(said).toContain("--all");
    }
    await proved(cwd);
    const { doc } = await json({ cwd }, "attest", "1", "--key", ana.path);
    const commands = (rows: unknown) => (rows as { command: string }[]).map(({ command }) => command);
    const { signed, not_signed: left } = doc as unknown as { signed: { proofs: unknown }[]; not_signed: unknown };
    expect(commands(signed[0]!.proofs)).toEqual(["node parse.mjs"]);
    expect(commands(left)).toEqual(["node -e 0"]);
    expect(await ok(cwd, "attest", "1", "--key", ana.path)).toMatch(/Not signed: TASK-001 s:0 node -e 0 .*--all/s);
    const all = await ok(cwd, "attest", "1", "--all", "--key", ana.path);
    expect(all).toMatch(/node -e 0 by agent:eve/);
    expect(all).not.toContain("Not signed");
  });
});

describe("taskfold prove --sign", () => {
  it("[ATTEST-5] signs the runs that it recorded itself, and nothing that was there before", async () => {
    const cwd = await world();
    // One run of another actor, and one of the actor who proves.
    await ok(cwd, "--by", "agent:eve", "run", "1", "Parse", "--for", "tests", "--", "node", "-e", "0");
    await ok(cwd, "--by", "agent:ci", "run", "1", "Parse", "--for", "tests", "--", "node", "-e", "1");
    await ok(cwd, "--by", "agent:ci", "run", "1", "Parse", "--", "node", "parse.mjs");
    const prove = ["--by", "agent:ci", "prove", "1", "--allow-commands", "--sign", "--key", ana.path];
    const { code, doc } = await json({ cwd }, ...prove);
    const { commands, signed } = doc as unknown as {
      commands: { evidence: string[] }[];
      signed: { proofs: unknown }[];
    };
    expect(code).toBe(0);
    expect(signed.map(({ proofs }) => proofs)).toEqual([
      [expect.objectContaining({ evidence: commands[0]!.evidence[0], command: "node parse.mjs", degree: "repeated" })],
    ]);
  });

  it("[ATTEST-5] signs what passes in a clean work tree, and runs nothing without a key", async () => {
    const cwd = await world();
    const prove = (...more: string[]) => ["prove", "1", "--allow-commands", "--sign", ...more];
    await refused(cwd, "SIGNING_KEY_REQUIRED", 2, ...prove());
    expect(readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8")).not.toContain("evidence.captured");
    const { code, doc } = await json({ cwd }, ...prove("--key", ana.path));
    expect({ code, doc }).toMatchObject({ code: 0, doc: { signed: [{ id: "TASK-001", key: ana.fingerprint }] } });
    expect(step(await verified(cwd, "--fresh"))).toMatchObject({ vouched: true, by: ["ana@example.org"] });
    writeFileSync(join(cwd, "parse.mjs"), "process.exit(1);\n");
    commit(cwd);
    const failed = await json({ cwd }, ...prove("--key", ana.path));
    expect(failed).toMatchObject({ code: 1, doc: { signed: [], failed: 1 } });
  });
});

describe("taskfold sign", () => {
  it("[ATTEST-6] signs each log once, and again after a change that is no signature", async () => {
    const cwd = await world();
    expect(await ok(cwd, "sign", "--key", ana.path)).toContain("TASK-001");
    expect(await ok(cwd, "sign", "--key", ana.path)).toBe("Signed by this key before: 1.\n");
    expect(await ok(cwd, "sign", "--key", eve.path)).toContain(eve.fingerprint);
    await ok(cwd, "note", "1", "more", "-q");
    expect(await ok(cwd, "sign", "1", "--key", ana.path)).toContain("TASK-001");
    const { vouched } = await verified(cwd);
    expect(vouched[0]).toMatchObject({ signed: { principal: "ana@example.org", revision: 4 }, later: 0 });
  });
});

describe("verify --signers", () => {
  it("[ATTEST-10] [ATTEST-12] tells who vouches for what, and finds a history that was written anew", async () => {
    const cwd = await world();
    await proved(cwd);
    await attest(cwd);
    await ok(cwd, "done", "1", "Parse", "--confirm", "gate", "-q").catch(() => undefined);
    const report = await verified(cwd);
    expect(report).toMatchObject({ code: 0, ok: true });
    expect(step(report)).toMatchObject({
      vouched: true,
      by: ["ana@example.org"],
      evidence: [expect.stringMatching(/^cmd-/)],
    });
    expect(await ok(cwd, "verify", "--signers", SIGNERS)).toMatch(
      /signed by ana@example\.org up to revision 2[^]*vouched by ana@example\.org at [0-9a-f]{12}/,
    );
    // Without the word, verify says nothing of signatures.
    expect((await json({ cwd }, "verify")).doc).not.toHaveProperty("vouched");
    const other = await json({ cwd }, "verify", "--signers", eve.file("signers", eve.line("eve")));
    expect((other.doc as unknown as Report).findings.map(({ code }) => code)).toContain("SIGNATURE_UNTRUSTED");
    const kept = join(cwd, ".coco/tasks/TASK-001/shared/evidence/blobs");
    const log = readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8").trim().split("\n");
    const { payload } = JSON.parse(log.at(-1)!) as {
      payload: { items: { attestation: { envelope: { sha256: string } } }[] };
    };
    appendFileSync(join(kept, payload.items[0]!.attestation.envelope.sha256), "\n");
    const broken = await verified(cwd);
    expect(broken.code).toBe(1);
    expect(broken.findings.map(({ code }) => code)).toContain("SIGNATURE_BROKEN");
  });

  it("[ATTEST-8] trusts no file of the work tree, whatever leads to it, and needs one", async () => {
    const cwd = await world();
    await refused(cwd, "SIGNERS_REQUIRED", 2, "verify", "--signers");
    await refused(cwd, "SIGNERS_REQUIRED", 2, "verify", "--signers", "../none");
    await refused(cwd, "INVALID_INPUT", 2, "verify", "--by-mode");
    writeFileSync(join(cwd, "signers"), ana.line("ana"));
    symlinkSync(join(cwd, "signers"), join(cwd, "../into"));
    symlinkSync(SIGNERS, join(cwd, "out"));
    for (const file of ["signers", "../into", "out"])
      await refused(cwd, "SIGNERS_COMMITTED", 1, "verify", "--signers", file);
    git(cwd, "config", "gpg.ssh.allowedSignersFile", "signers");
    await refused(cwd, "SIGNERS_COMMITTED", 1, "verify", "--signers");
    writeFileSync(join(cwd, "gitconfig"), `[gpg "ssh"]\n\tallowedSignersFile = ${SIGNERS}\n`);
    git(cwd, "config", "--unset", "gpg.ssh.allowedSignersFile");
    git(cwd, "config", "include.path", "../gitconfig");
    await refused(cwd, "SIGNERS_COMMITTED", 1, "verify", "--signers");
    git(cwd, "config", "--unset", "include.path");
    git(cwd, "config", "gpg.ssh.allowedSignersFile", SIGNERS);
    expect((await run({ cwd }, "verify", "--signers")).code).toBe(0);
  });

  it("[ATTEST-8] trusts no key that has expired, is for other uses, or was revoked, as of now", async () => {
    const cwd = await world();
    await proved(cwd);
    await attest(cwd);
    const by = async (options: string): Promise<boolean> => {
      const { doc } = await json({ cwd }, "verify", "--signers", ana.file("other", ana.line("ana", options)));
      return step(doc as unknown as Report).vouched;
    };
    expect(await by("")).toBe(true);
    expect(await by('namespaces="git,taskfold" ')).toBe(true);
    expect(await by('namespaces="git" ')).toBe(false);
    expect(await by('valid-before="20200101" ')).toBe(false);
    expect(await by('valid-after="20990101" ')).toBe(false);
    git(cwd, "config", "gpg.ssh.revocationFile", ana.file("revoked", readFileSync(`${ana.path}.pub`, "utf8")));
    expect(await by("")).toBe(false);
  });

  it("[ATTEST-16] asks for a signed proof of every closed step, and with --by-mode of those whose mode asks for it", async () => {
    const cwd = await world();
    await ok(cwd, "add", "Another", "--step", "Look", "--criteria", "looked", "--test", "true", "-q");
    await ok(cwd, "done", "2", "Look", "--confirm", "gate", "-q");
    expect((await verified(cwd, "--by-mode")).code).toBe(0);
    const strict = await verified(cwd);
    expect(strict.code).toBe(1);
    expect(strict.findings.find(({ code }) => code === "NOT_VOUCHED")!.message).toContain('s:0 "Look"');
  });

  it("[ATTEST-16] a mode that is lowered after a signature over history counts as it was, with --by-mode too", async () => {
    const cwd = await world();
    await ok(cwd, "sign", "--key", ana.path);
    const lowered = JSON.stringify({ task: "TASK-001", path: "s:0", proof: { tests: "off" } });
    await ok(cwd, "call", "tasks_define", lowered);
    await ok(cwd, "done", "1", "Parse", "--confirm", "gate", "-q");
    for (const more of [[], ["--by-mode"]]) {
      const { code, findings } = await verified(cwd, ...more);
      expect([more, code, findings.map((one) => one.code)]).toEqual([more, 1, ["NOT_VOUCHED"]]);
    }
    // A later signature over history does not take that back.
    await ok(cwd, "sign", "--key", ana.path);
    expect((await verified(cwd, "--by-mode")).code).toBe(1);
    expect((await verified(cwd)).code).toBe(1);
  });

  it("[ATTEST-13] --fresh takes no proof of files that changed since, and attest signs none", async () => {
    const cwd = await world();
    await proved(cwd);
    await attest(cwd);
    expect(step(await verified(cwd, "--fresh")).vouched).toBe(true);
    writeFileSync(join(cwd, "parse.mjs"), "process.exit(1);\n");
    expect(step(await verified(cwd)).vouched).toBe(true);
    expect(step(await verified(cwd, "--fresh")).why[0]).toMatch(/is stale: 1 file changed since, such as parse\.mjs/);
    expect(await refused(cwd, "NOTHING_TO_SIGN", 1, "attest", "1", "--key", ana.path)).toContain(
      "files in its scope changed",
    );
    commit(cwd);
    expect(step(await verified(cwd, "--fresh")).vouched).toBe(false);
  });

  it("[ATTEST-8] --seen finds a log that lost the signature with what came before it", async () => {
    const cwd = await world();
    const path = join(cwd, ".coco/tasks/TASK-001/events.jsonl");
    const before = readFileSync(path, "utf8");
    await ok(cwd, "note", "1", "it fails", "-q");
    await ok(cwd, "sign", "--key", ana.path, "--out", "../seen");
    expect((await verified(cwd, "--seen", "../seen")).code).toBe(0);
    writeFileSync(path, before);
    await ok(cwd, "rebuild", "-q").catch(() => undefined);
    // The log of another task has nothing to do with it.
    await ok(cwd, "add", "Another", "-q");
    expect((await json({ cwd }, "verify", "2", "--signers", SIGNERS, "--seen", "../seen")).code).toBe(0);
    const { findings } = await verified(cwd, "--seen", "../seen");
    expect(findings.find(({ code }) => code === "SIGNATURE_BROKEN")!.message).toContain("written anew");
    await refused(cwd, "INVALID_INPUT", 2, "verify", "--signers", SIGNERS, "--seen", "../none");
  });

  it("[ATTEST-13] a proof of a commit to which HEAD does not lead is not vouched for", async () => {
    const cwd = await world();
    await proved(cwd);
    await attest(cwd);
    expect(step(await verified(cwd)).vouched).toBe(true);
    git(cwd, "checkout", "-q", "--orphan", "anew");
    commit(cwd);
    expect(step(await verified(cwd)).why[0]).toContain("HEAD does not lead to commit");
  });

  it("[ATTEST-3] [ATTEST-12] signatures of two branches merge, and both hold", async () => {
    const cwd = await world();
    await proved(cwd);
    commit(cwd);
    git(cwd, "checkout", "-q", "-b", "one");
    await attest(cwd);
    commit(cwd);
    git(cwd, "checkout", "-q", "main");
    await ok(cwd, "sign", "--key", ana.path);
    commit(cwd);
    new Clone(cwd).tries("merge", "-q", "--no-edit", "one");
    await ok(cwd, "resolve", "-q");
    const report = await verified(cwd);
    expect(report.vouched[0]!.signatures.map(({ status }) => status)).toEqual(["holds", "holds"]);
    expect(step(report).vouched).toBe(true);
  });
});

describe("a step that wants a run", () => {
  it("[PROOF-48] a refusal calls a signed claim a claim: a signature is no degree above a run", async () => {
    const cwd = await world();
    await ok(
      cwd,
      "call",
      "tasks_define",
      JSON.stringify({ task: "TASK-001", path: "s:0", proof: { tests: "captured" } }),
    );
    const item = { kind: "run", command: "node parse.mjs", exit_code: 0, stdout: "ok" };
    const capture = { task: "TASK-001", path: "s:0", checkpoint: "tests", items: [item] };
    await ok(cwd, "call", "tasks_evidence_capture", JSON.stringify(capture));
    await attest(cwd, "1", "--claims");
    const said = await refused(cwd, "PROOF_REQUIRED", 1, "done", "1", "Parse", "--confirm", "gate");
    expect(said).toContain("the highest is claimed");
  });
});

describe("a step that wants a signed proof", () => {
  it("[ATTEST-20] closes only if the allowed signers of git vouch for it", async () => {
    const cwd = await world();
    await proved(cwd);
    await refused(cwd, "PROOF_REQUIRED", 1, "done", "1", "Parse", "--confirm", "gate");
    await ok(cwd, "attest", "1", "--key", eve.path);
    await refused(cwd, "SIGNERS_REQUIRED", 2, "done", "1", "Parse", "--confirm", "gate");
    git(cwd, "config", "gpg.ssh.allowedSignersFile", SIGNERS);
    const said = await refused(cwd, "PROOF_UNTRUSTED", 1, "done", "1", "Parse", "--confirm", "gate");
    expect(said).toContain("taskfold attest TASK-001 s:0");
    const alone = openWorkspace({ root: cwd, workspace: "acme/repo", git: () => openGit(cwd) });
    const checkpoints = { criteria: true, tests: true };
    const reply = await alone.call("tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints });
    expect(reply.error).toMatchObject({ code: "PROOF_UNTRUSTED", message: expect.stringContaining("without signers") });
    await alone.close();
    await attest(cwd, "1");
    await ok(cwd, "done", "1", "Parse", "--confirm", "gate");
    expect(step(await verified(cwd))).toMatchObject({ done: true, vouched: true });
  });
});
