/** Secrets that come in by each door, searched for in all that stays: files, answers, exports, temporary folders. Real programs, real git. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { exportView } from "../../src/hosts/view/export_view.ts";
import { readPageFiles } from "../../src/hosts/view/page_files.ts";
import { runCaptured } from "../../src/runner/run_captured.ts";
import { builtPages, viewerOf } from "../hosts/view_support.ts";
import { nodeDisk } from "../../src/disk.ts";
import { run } from "../hosts/cli_support.ts";
import { MANIFEST, TASK } from "../packet/packet_support.ts";
import { someKey } from "../support/signing.ts";
import { tempFolder } from "../support/temp.ts";
import { ok } from "../support/workspace.ts";
import { PacketRoom, script } from "./packet_room.ts";
import { PACK } from "./servants/answers.mjs";
import { ROTATING } from "../support/sweep.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What the command says. */
async function said(cwd: string, ...argv: string[]): Promise<[string, string]> {
  const { code, out, err } = await run({ cwd }, ...argv);
  expect({ code, err }).toMatchObject({ code: 0 });
  return [`taskfold ${argv[0]}`, out + err];
}

/** Letters and digits that no other door has. */
const like = (door: number, length: number): string =>
  createHash("sha512")
    .update(`door ${door}`)
    .digest("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "x")
    .repeat(2)
    .slice(0, length);

const door = (before: string, secret: string, behind = ""): { text: string; secret: string } => ({
  text: `${before}${secret}${behind}`,
  secret,
});

/** By door: a text with a secret in it, and the secret. */
const DOORS = {
  "an argument": door("", `ghp_${like(1, 36)}`),
  "a named argument": door("--password=", like(2, 20)),
  "the environment": door("", `npm_${like(3, 36)}`),
  "the output of a run": door("token ", `glpat-${like(4, 20)}`),
  "the errors of a run": door("postgres://ada:", like(5, 18), "@db/x"),
  "an input of a packet": door("api_key: ", like(6, 24)),
  "the goal of a packet": door("Use ", `xoxb-123456789012-1234567890123-${like(7, 24)}`),
  "a criterion of a packet": door("curl -u ada:", like(8, 20), " works"),
  "the answer of a servant": door("", `sk-ant-api03-${like(9, 93)}AA`),
  "the errors of a servant": door("Authorization: Bearer ", like(10, 40)),
  "the diff of a servant": door(
    "",
    `AKIA${like(11, 16)
      .toUpperCase()
      .replaceAll(/[0189]/g, "Z")}`,
  ),
  "the output of an acceptance command": door(
    "-----BEGIN RSA PRIVATE KEY-----\n",
    like(12, 64),
    "\n-----END RSA PRIVATE KEY-----",
  ),
  "what the packet calls a secret": door("", `house-${like(13, 12)}`),
} as const;
type Door = keyof typeof DOORS;
const given = (name: Door): string => DOORS[name].text;

function filesBelow(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, "latin1")]);
}

/** Doors whose secret stands in a text, whole or from its middle on. */
function foundIn(text: string): Door[] {
  return (Object.keys(DOORS) as Door[]).filter((name) => {
    const { secret } = DOORS[name];
    return [secret, secret.slice(-12)].some(
      (part) => text.includes(part) || text.includes(Buffer.from(part).toString("base64")),
    );
  });
}

/** Texts that the engine writes from now on, by the file: journals, locks and temporary files as well, which are gone at the end. */
function writtenFromNow(): [string, string][] {
  const written: [string, string][] = [];
  const names = new Map<number, string>();
  const open = nodeDisk.open.bind(nodeDisk);
  const write = nodeDisk.write.bind(nodeDisk);
  vi.spyOn(nodeDisk, "open").mockImplementation((path, flags) => {
    const fd = open(path, flags);
    names.set(fd, path);
    return fd;
  });
  vi.spyOn(nodeDisk, "write").mockImplementation((fd, bytes, position) => {
    written.push([`written to ${names.get(fd)}`, Buffer.from(bytes).toString("latin1")]);
    return write(fd, bytes, position);
  });
  return written;
}

/** Envelopes of signatures as text: the statement in one is in base64. */
function statementsIn(envelopes: string): string {
  const lines = envelopes.split("\n").filter((line) => line !== "");
  return lines
    .map((line) => Buffer.from((JSON.parse(line) as { payload: string }).payload, "base64").toString("latin1"))
    .join("\n");
}

it(
  "[PROOF-100] [PACKET-26] no secret that comes in by a door of a run or a packet stays in a file, an answer or an export",
  ROTATING,
  async () => {
    const heads = ["Summary", "Acceptance", "Scope", "Constraints"].map((title) => `## ${title}\nx\n`);
    const verify = "## Verify Commands\n```sh\ncat .git/accepted\n```\n";
    const pack = `## Updated Context Pack\n${PACK.map((title) => `## ${title}\nx\n`).join("")}`;
    const answer = `${heads.join("")}${verify}${pack}\n${given("the answer of a servant")}\n`;
    const servants = {
      gemini: script(`cat > /dev/null; cat .git/errors >&2; cat .git/answer`),
      codex: script("cat > /dev/null; cat .git/errors >&2; mkdir -p src; echo b >> src/a.txt; cat .git/diff"),
    };
    const manifest = {
      goal: given("the goal of a packet"),
      routing: { intent: "safe_impl", pipeline: { flags: { enable_review: false } } },
      scope: { allow: ["src/"], deny: [] },
      acceptance: { commands: ["cat .git/accepted"], criteria: [given("a criterion of a packet")] },
      budgets: { retry_budget: 0, paid_call_budget: 20, max_wallclock_sec: 60 },
      security: { redaction_patterns: ["house-\\w+"] },
    };
    const inputs = {
      "user_request.md": `${given("an input of a packet")}\n${given("what the packet calls a secret")}\n`,
    };
    const written = writtenFromNow();
    const room = await PacketRoom.make({ manifest, servants, inputs });
    const { ws, root } = room;
    const temporary = tempFolder();
    vi.stubEnv("TMPDIR", temporary);
    for (const [name, text] of [
      ["answer", answer],
      ["errors", `${given("the errors of a servant")}\n${given("what the packet calls a secret")}\n`],
      ["diff", `--- a/src/a.txt\n+++ b/src/a.txt\n@@ -0,0 +1 @@\n+${given("the diff of a servant")}\n`],
      ["accepted", `${given("the output of an acceptance command")}\n${given("what the packet calls a secret")}\n`],
    ] as const)
      writeFileSync(join(root, ".git", name), text);
    const step = { title: "S", success_criteria: ["c"], tests: ["t"], packet: true };
    await ok(ws, "tasks_decompose", { task: TASK, steps: [step, { title: "T", success_criteria: ["c"] }] });
    const { stages } = await room.run({ allowCommands: true });
    expect(stages.map(({ outcome }) => outcome)).toContain("passed");
    const printed = `echo '${given("the output of a run")}'; echo '${given("the errors of a run")}' >&2; echo "$KEY"`;
    writeFileSync(join(root, "run.sh"), printed);
    const argv = [
      "sh",
      "run.sh",
      given("an argument"),
      given("a named argument"),
      given("what the packet calls a secret"),
    ];
    const env = { PATH: process.env["PATH"], KEY: given("the environment") };
    await runCaptured(ws, { task: TASK, path: "s:1", argv, env });

    const answers: [string, string][] = [];
    for (const [tool, input] of [
      ["tasks_handoff", {}],
      ["tasks_resume", {}],
      ["tasks_context", {}],
      ["tasks_radar", {}],
      ["tasks_history", {}],
      ["tasks_evidence_verify", {}],
      ["packet_next", {}],
    ] as const)
      answers.push([tool, JSON.stringify(await ws.callTool(tool, { workspace: "acme/repo", task: TASK, ...input }))]);
    const out = join(tempFolder(), "out");
    const viewer = viewerOf(root);
    await exportView({
      viewer,
      pages: readPageFiles(builtPages()),
      dir: out,
      from: root,
      now: "2026-01-01T00:00:00.000Z",
    });
    // A second packet, by the command.
    // Git's folder is not searched.
    const given_in = join(root, ".git/given");
    mkdirSync(join(given_in, "inputs"), { recursive: true });
    writeFileSync(join(given_in, "manifest.yaml"), JSON.stringify({ task_id: "SECOND", ...MANIFEST, ...manifest }));

    for (const [name, text] of Object.entries(inputs)) writeFileSync(join(given_in, "inputs", name), text);
    answers.push(
      await said(root, "packet", "create", join(given_in, "manifest.yaml"), "--inputs", join(given_in, "inputs")),
    );
    answers.push(await said(root, "attest", TASK, "--all", "--key", someKey().path, "--out", join(given_in, "signed")));
    const signed = readFileSync(join(given_in, "signed"), "utf8");
    const exported = tempFolder();
    for (const command of ["export", "export-review"])
      answers.push(await said(root, "packet", command, TASK, join(exported, command)));
    const told = room.told.map((event): [string, string] => [`told ${event.type}`, JSON.stringify(event)]);
    const places = [
      ...filesBelow(join(root, ".coco")),
      ...filesBelow(temporary),
      ...filesBelow(out),
      ...filesBelow(exported),
      ...written,
      ["the signature", signed + statementsIn(signed)] as [string, string],
      ...answers,
      ...told,
    ];
    const found = places.flatMap(([place, text]) => foundIn(text).map((name) => `${name}: ${place.replace(root, "")}`));
    expect(found).toEqual([]);
    // The search itself finds what is there.
    expect(filesBelow(join(root, ".git")).flatMap(([, text]) => foundIn(text))).not.toEqual([]);
    expect(places.length).toBeGreaterThan(30);
    expect(written.join("\n")).toContain("evidence.captured");
    expect(statementsIn(signed)).toContain("test-result");
  },
);
