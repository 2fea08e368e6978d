/** Workspaces that ask for more than a step says: the least proof modes, and confirmations by other eyes. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLog } from "../../examples/independent_reader.mjs";
import { RING } from "../../src/events/history.ts";
import type { JsonObject } from "../../src/index.ts";
import { parseConfirm } from "../../src/state/four_eyes.ts";
import { MANIFEST } from "../packet/packet_support.ts";
import { openWorkspace } from "../support/open.ts";
import { tempFolder } from "../support/temp.ts";
import { logPath } from "../support/workspace.ts";

const WORKSPACE = "acme/repo";

interface Told {
  done_by: string | null;
  proof: Record<string, string>;
}

async function world(lines: string, { now }: { now?: () => number } = {}) {
  const root = tempFolder();
  const ws = openWorkspace({ root, workspace: WORKSPACE, by: "agent:ada", ...(now ? { now } : {}) });
  const make = (kind: string, title: string, more: JsonObject = {}) =>
    ws.callTool("tasks_create", { workspace: WORKSPACE, kind, title, ...more });
  await make("plan", "P");
  appendFileSync(join(root, ".coco/workspace.yaml"), lines);
  await make("task", "T", { parent: "PLAN-001" });
  const call = (by: string, tool: string, input: JsonObject = {}) =>
    ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001", ...input }, { by });
  const add = (...modes: (JsonObject | undefined)[]) =>
    call("agent:ada", "tasks_decompose", {
      steps: modes.map((proof, i) => ({
        title: `step ${i}`,
        success_criteria: ["works"],
        ...(proof ? { proof } : {}),
      })),
    });
  const done = (by: string) => call(by, "tasks_close_step", { path: "s:0", checkpoints: "gate" });
  const steps = () => (readLog(readFileSync(logPath(root, "TASK-001"))) as unknown as { steps: Told[] }).steps;
  const doneInLog = (): string | null => steps()[0]!.done_by;
  const modes = (): string[][] =>
    steps().map(({ proof }) => [proof["tests"]!, proof["security"]!, proof["perf"]!, proof["docs"]!]);
  return { ws, make, call, add, done, doneInLog, modes };
}

describe("what a workspace asks of each step", () => {
  it("[PROOF-44] no new step has a weaker mode than the minimum, and none is defined", async () => {
    const { call, add, modes } = await world('proof: "docs=warn"\nproof_minimum: "tests=captured,perf=warn"\n');
    await add(undefined, { tests: "off", docs: "off" }, { tests: "attested", perf: "require" });
    expect(modes()).toEqual([
      ["captured", "off", "warn", "warn"],
      ["captured", "off", "warn", "off"],
      ["attested", "off", "require", "warn"],
    ]);
    const define = (tests: string) => call("agent:ada", "tasks_define", { path: "s:0", proof: { tests } });
    const refused = (await define("require")).error!;
    expect([refused.code, refused.message]).toEqual([
      "INVALID_INPUT",
      "Expected proof of tests to be at least captured in this workspace, found require.",
    ]);
    expect((await define("repeated")).success).toBe(true);
  });

  it("[PROOF-44] a line that says neither is refused, and nothing is written", async () => {
    const { make, ws } = await world('confirm: "criteria=me"\n');
    expect((await make("task", "U", { parent: "PLAN-001" })).error?.code).toBe("LOG_UNREADABLE");
    await ws.close();
  });

  it("[PROOF-44] the modes that an edit gives a plan are those of steps that are added later", async () => {
    const { ws, call, add, modes } = await world("");
    const edit = (proof: JsonObject) => ws.callTool("tasks_edit", { workspace: WORKSPACE, plan: "PLAN-001", proof });
    await add(undefined);
    expect((await edit({ tests: "captured" })).success).toBe(true);
    expect((await edit({ docs: "warn" })).success).toBe(true);
    await add(undefined);
    await ws.callTool("tasks_undo", { workspace: WORKSPACE, plan: "PLAN-001" });
    await add(undefined);
    expect(modes()).toEqual([
      ["off", "off", "off", "off"],
      ["captured", "off", "off", "warn"],
      ["captured", "off", "off", "off"],
    ]);
    expect((await call("agent:ada", "tasks_edit", { proof: { tests: "warn" } })).error?.code).toBe("INVALID_INPUT");
  });

  it("[PROOF-55] a step asks for other eyes when it is added or defined, also those of who claimed and confirmed before", async () => {
    const { ws, call, done, doneInLog } = await world('confirm: "docs=other"\n');
    await call("agent:ada", "tasks_decompose", {
      steps: [{ title: "s", success_criteria: ["w"], confirm: ["tests"] }],
    });
    const define = (confirm: string[]) => call("agent:bob", "tasks_define", { path: "s:0", confirm });
    const asked = () => /another actor confirms (.*)/.exec(ws.files("TASK-001").get("README.md")!)?.[1];
    expect(asked()).toBe("tests, docs");
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    await call("agent:ada", "tasks_release", { path: "s:0" });
    expect((await call("agent:ada", "tasks_verify", { path: "s:0", checkpoints: { criteria: true } })).success).toBe(
      true,
    );
    expect((await call("agent:bob", "tasks_verify", { path: "s:0", checkpoints: { tests: true } })).success).toBe(true);
    expect((await define(["criteria"])).success).toBe(true);
    expect(asked()).toBe("criteria, docs");
    await call("agent:bob", "tasks_undo");
    expect(asked()).toBe("tests, docs");
    await call("agent:bob", "tasks_redo");
    expect(asked()).toBe("criteria, docs");
    expect((await done("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
    expect((await done("agent:bob")).success).toBe(true);
    expect(doneInLog()).toBe("agent:bob");
  });

  it.each<[string, string, JsonObject]>([
    ["a milder mode", "tasks_define", { path: "s:0", proof: { tests: "off" } }],
    ["claims", "tasks_define", { path: "s:0", proof: { tests: "require" } }],
    ["an undo", "tasks_undo", {}],
  ])("[PROOF-111] who holds a step lowers none of its proof modes: %s", async (_, tool, input) => {
    const { ws, call, add, modes } = await world("");
    await add(undefined);
    for (const place of [{ path: "s:0" }, {}]) {
      // An undo takes back what its caller did.
      const planner = tool === "tasks_undo" ? "agent:ada" : "agent:bob";
      await call(planner, "tasks_define", { path: "s:0", proof: { tests: "captured" } });
      await call("agent:ada", "tasks_claim", place);
      const { error, suggestions } = await call("agent:ada", tool, input);
      expect(error).toMatchObject({
        code: "TERMS_HELD",
        message: expect.stringContaining("no less than tests=captured"),
      });
      expect(modes()[0]![0]).toBe("captured");
      // The call that is offered gives the claim back.
      const { tool: offered, args } = suggestions[0]!;
      expect((await ws.callTool(offered, args as JsonObject, { by: "agent:ada" })).success).toBe(true);
      expect((await call("agent:ada", tool, input)).error).toBeNull();
      expect(modes()[0]![0]).not.toBe("captured");
    }
  });

  it("[PROOF-111] who holds a step asks more of it", async () => {
    const { call, add, modes } = await world("");
    await add({ tests: "require" });
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    const define = (input: JsonObject) => call("agent:ada", "tasks_define", { path: "s:0", ...input });
    expect((await define({ proof: { tests: "captured", docs: "warn" }, title: "T" })).error).toBeNull();
    expect((await define({ confirm: ["tests"], packet: true })).error).toBeNull();
    expect(modes()[0]).toEqual(["captured", "off", "off", "warn"]);
  });

  it("[PROOF-111] who holds a step puts no signature in the place of a repeat by another actor", async () => {
    const { call, add } = await world("");
    await add({ tests: "attested" });
    const define = (tests: string) => call("agent:ada", "tasks_define", { path: "s:0", proof: { tests } });
    await define("repeated");
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    for (const tool of ["tasks_define", "tasks_undo"]) {
      const input: JsonObject = tool === "tasks_undo" ? {} : { path: "s:0", proof: { tests: "attested" } };
      expect((await call("agent:ada", tool, input)).error).toMatchObject({
        code: "TERMS_HELD",
        message: expect.stringContaining("no less than tests=repeated"),
      });
    }
    await call("agent:ada", "tasks_release", { path: "s:0" });
    expect((await define("attested")).error).toBeNull();
  });

  it("[PROOF-111] who holds a step takes it from no packet, whatever its mode is", async () => {
    const { call, add } = await world("");
    await add({ tests: "captured" });
    await call("agent:ada", "tasks_define", { path: "s:0", packet: true });
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    for (const [tool, input] of [
      ["tasks_define", { path: "s:0", packet: false }],
      ["tasks_patch", { path: "s:0", ops: [{ op: "unset", field: "packet" }] }],
      ["tasks_undo", {}],
    ] as const)
      expect((await call("agent:ada", tool, input as unknown as JsonObject)).error?.code).toBe("TERMS_HELD");
    await call("agent:ada", "tasks_release", { path: "s:0" });
    expect((await call("agent:ada", "tasks_define", { path: "s:0", packet: false })).error).toBeNull();
  });

  it("[PROOF-111] [PROOF-55] who holds a step takes no checkpoint from other eyes, until the claim is over", async () => {
    const { ws, call } = await world("");
    await call("agent:ada", "tasks_decompose", {
      steps: [{ title: "s", success_criteria: ["w"], confirm: ["criteria", "tests"] }],
    });
    const define = (by: string, confirm: string[]) => call(by, "tasks_define", { path: "s:0", confirm });
    for (const place of [{ path: "s:0" }, {}]) {
      await define("agent:bob", ["criteria", "tests"]);
      await call("agent:ada", "tasks_claim", place);
      expect((await define("agent:ada", ["tests"])).error?.code).toBe("TERMS_HELD");
      const { error, suggestions } = await define("agent:ada", []);
      expect(error).toMatchObject({
        code: "TERMS_HELD",
        message: expect.stringContaining("criteria confirmed by another actor, tests confirmed by another actor while"),
      });
      expect((await define("agent:ada", ["criteria", "tests", "docs"])).error).toBeNull();
      const { tool, args } = suggestions[0]!;
      expect((await ws.callTool(tool, args as JsonObject, { by: "agent:ada" })).success).toBe(true);
      expect((await define("agent:ada", [])).error).toBeNull();
    }
  });

  // Two calls may have one millisecond, and a clock may be put back: the order of the log decides.
  it.each([
    ["goes", 1],
    ["stands", 0],
    ["goes back", -1],
  ])(
    "[PROOF-111] [PROOF-55] who holds a step takes no checkpoint from other eyes by undo or redo while the clock %s",
    async (_, ms) => {
      let now = Date.now();
      const { ws, call } = await world("", { now: () => (now += ms) });
      const define = (confirm: string[]) => call("agent:ada", "tasks_define", { path: "s:0", confirm });
      const asked = () => /another actor confirms (.*)/.exec(ws.files("TASK-001").get("README.md")!)?.[1];
      const code = async (tool: string) => (await call("agent:ada", tool)).error?.code;
      await call("agent:ada", "tasks_decompose", { steps: [{ title: "s", success_criteria: ["w"] }] });
      await define(["criteria"]);
      await call("agent:ada", "tasks_claim", { path: "s:0" });
      expect(await code("tasks_undo")).toBe("TERMS_HELD");
      expect(asked()).toBe("criteria");
      await call("agent:ada", "tasks_release", { path: "s:0" });
      await define([]);
      await call("agent:ada", "tasks_undo");
      await call("agent:ada", "tasks_claim", { path: "s:0" });
      expect(await code("tasks_redo")).toBe("TERMS_HELD");
      // What the holder asked for during the claim is the holder's to undo.
      await define(["criteria", "tests"]);
      expect(await code("tasks_undo")).toBeUndefined();
      expect(asked()).toBe("criteria");
    },
  );

  it("[PROOF-111] who holds a step lets no packet prove it whose commands leave a declared test out", async () => {
    const { ws, call } = await world("");
    const as = (tool: string, input: JsonObject) => call("agent:ada", tool, input);
    const own = (commands: string[]) => ({ manifest: { ...MANIFEST, acceptance: { commands, criteria: [] } } });
    const name = (packet: boolean) => as("tasks_define", { path: "s:0", packet });
    await as("tasks_decompose", { steps: [{ title: "s", success_criteria: ["w"], tests: ["npm  test"] }] });
    await as("tasks_claim", {});
    const none = await name(true);
    expect([none.error?.code, none.error?.message]).toEqual([
      "TERMS_HELD",
      'Expected the packet of s:0 "s" to run "npm test" while agent:ada holds it; found no packet.',
    ]);
    await as("packet_define", own(["true"]));
    const refused = await name(true);
    expect(refused.error?.message).toContain("found a manifest without that");
    const { tool, args } = refused.suggestions[0]!;
    expect((await ws.callTool(tool, args as JsonObject, { by: "agent:ada" })).error).toBeNull();
    expect((await name(true)).error).toBeNull();
    // Nor does the test go when the step names the packet. Other commands are the holder's to change.
    expect((await as("packet_define", own(["true"]))).error?.code).toBe("TERMS_HELD");
    expect((await as("packet_patch", { manifest: { acceptance: { commands: ["true"] } } })).error?.code).toBe(
      "TERMS_HELD",
    );
    expect((await as("packet_define", own(["npm test"]))).error).toBeNull();
    await as("tasks_release", {});
    expect((await as("packet_define", own(["true"]))).error).toBeNull();
  });

  it("[PROOF-111] who holds a step lets no packet pass over a command that failed for its tests", async () => {
    const { call } = await world("");
    const as = (tool: string, input: JsonObject) => call("agent:ada", tool, input);
    const items = [{ kind: "run", command: "npm run lint", exit_code: 1 }];
    await as("tasks_decompose", { steps: [{ title: "s", success_criteria: ["w"] }] });
    await as("packet_define", { manifest: { ...MANIFEST, acceptance: { commands: ["true"], criteria: [] } } });
    await as("tasks_claim", { path: "s:0" });
    await as("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items });
    const { error } = await as("tasks_define", { path: "s:0", packet: true });
    expect([error?.code, error?.message]).toEqual(["TERMS_HELD", expect.stringContaining('to run "npm run lint"')]);
  });

  it("[PROOF-111] who holds one step of a packet takes no command out that failed on one that another actor holds", async () => {
    const { ws, call } = await world("");
    const named = { success_criteria: ["w"], packet: true };
    const patch = (by: string, commands: string[]) =>
      call(by, "packet_patch", { manifest: { acceptance: { commands, criteria: [] } } });
    const items = [{ kind: "run", command: "npm run lint", exit_code: 1 }];
    await call("agent:ada", "tasks_decompose", {
      steps: [
        { title: "a", ...named },
        { title: "b", ...named },
        { title: "c", success_criteria: ["w"] },
      ],
    });
    const acceptance = { commands: ["true", "npm run lint"], criteria: [] };
    await call("agent:ada", "packet_define", { manifest: { ...MANIFEST, acceptance } });
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    await call("agent:ada", "tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items });
    await call("agent:bob", "tasks_claim", { path: "s:1" });
    const { error, suggestions } = await patch("agent:bob", ["true"]);
    expect([error?.code, error?.message]).toEqual([
      "TERMS_HELD",
      'Expected the packet of s:0 "a" to run "npm run lint" while agent:ada holds it; found a manifest without that.',
    ]);
    // Superseding is no offer on the step of another actor. What is offered works.
    expect(suggestions.map(({ tool }) => tool)).toEqual(["packet_patch"]);
    for (const { tool, args } of suggestions)
      expect((await ws.callTool(tool, args as JsonObject, { by: "agent:bob" })).error).toBeNull();
    // Nor does an actor who holds no step of the packet.
    await call("agent:bob", "tasks_release", { path: "s:1" });
    for (const by of ["agent:bob", "human:eve"]) {
      const refused = (await patch(by, ["true"])).error;
      expect([refused?.code, refused?.recovery]).toEqual([
        "TERMS_HELD",
        "Call again once the claim of agent:ada is over. Any actor may ask for more.",
      ]);
    }
    await call("agent:ada", "tasks_release", { path: "s:0" });
    expect((await patch("agent:bob", ["true"])).error).toBeNull();
  });

  it("[PROOF-111] [EVID-58] who holds a step is offered what takes each failed run into account, with a command or without", async () => {
    const { ws, call } = await world("");
    const as = (tool: string, input: JsonObject) => call("agent:ada", tool, input);
    const acceptance = { commands: ["true"], criteria: [] };
    await as("tasks_decompose", { steps: [{ title: "s", success_criteria: ["w"] }] });
    await as("packet_define", { manifest: { ...MANIFEST, acceptance } });
    await as("tasks_claim", { path: "s:0" });
    const items = [
      { kind: "run", title: "by hand", exit_code: 1, content: "it broke" },
      { kind: "run", command: "test -f [REDACTED]", exit_code: 1 },
      { kind: "run", command: "npm [REDACTED]", exit_code: 1 },
    ];
    for (const item of items)
      expect(
        (await as("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items: [item] })).error,
      ).toBeNull();
    // Another step has the plain text of one of them.
    await as("tasks_decompose", { steps: [{ title: "t", success_criteria: ["w"], tests: ["npm test"] }] });
    const name = () => as("tasks_define", { path: "s:0", packet: true });
    const { error, suggestions } = await name();
    expect([error?.code, error?.message]).toEqual(["TERMS_HELD", expect.stringContaining('to run "npm test"')]);
    expect(error?.message).toContain("a failed run without a command");
    expect(error?.recovery).toContain("supersede the failed run with a reason");
    expect(suggestions.map(({ tool }) => tool)).toEqual(["packet_patch", "tasks_evidence_capture", "tasks_release"]);
    const [patch, aside] = suggestions;
    expect((patch!.args["manifest"] as JsonObject)["acceptance"]).toEqual({ commands: ["true", "npm test"] });
    expect(aside!.args["supersedes"]).toHaveLength(3);
    const make = ({ tool, args }: typeof patch & object) =>
      ws.callTool(tool, { ...args, ...(args["reason"] ? { reason: "of no use" } : {}) } as JsonObject, {
        by: "agent:ada",
      });
    expect((await make(patch!)).error).toBeNull();
    const left = await name();
    expect(left.error?.message).not.toContain("npm test");
    expect(left.suggestions.map(({ tool }) => tool)).toEqual(["tasks_evidence_capture", "tasks_release"]);
    expect((await make(left.suggestions[0]!)).error).toBeNull();
    expect((await name()).error).toBeNull();
    // A manifest without the command would leave the masks alone, and passes the failure over.
    expect((await as("packet_patch", { manifest: { acceptance } })).error?.code).toBe("TERMS_HELD");
  });

  it("[PROOF-111] who holds a step deletes none that asks for more than a new one would", async () => {
    const { call } = await world('proof_minimum: "perf=warn"\nconfirm: "security=other"\n');
    const step = (more: JsonObject): JsonObject => ({ title: "s", success_criteria: ["w"], ...more });
    const terms: [string, JsonObject][] = [
      ["tests=captured", { proof: { tests: "captured" } }],
      ["criteria confirmed by another actor", { confirm: ["criteria"] }],
      ["tests=captured", {}],
    ];
    const added = (input: JsonObject) => call("agent:bob", "tasks_decompose", input);
    expect((await added({ steps: [step({}), ...terms.map(([, more]) => step(more))] })).error).toBeNull();
    // The step above it goes with what is below.
    expect((await added({ parent: "s:3", steps: [step({ proof: { tests: "captured" } })] })).error).toBeNull();
    const remove = (by: string, n: number) => call(by, "tasks_delete", { path: `s:${n}` });
    for (const [n, [term]] of terms.entries()) {
      for (const place of [{ path: `s:${n + 1}` }, {}]) {
        expect((await call("agent:ada", "tasks_claim", place)).error).toBeNull();
        const { error } = await remove("agent:ada", n + 1);
        expect([error?.code, error?.message]).toEqual(["TERMS_HELD", expect.stringContaining(term)]);
        expect((await call("agent:ada", "tasks_release", place)).error).toBeNull();
      }
      expect((await remove("agent:ada", n + 1)).error).toBeNull();
    }
    await call("agent:ada", "tasks_claim", {});
    expect((await remove("agent:ada", 0)).error).toBeNull();
    // What the holder added during the claim is no term of another.
    const own = await call("agent:ada", "tasks_decompose", { steps: [step({ proof: { tests: "captured" } })] });
    const [{ path }] = own.result!["steps"] as [{ path: string }];
    expect((await call("agent:ada", "tasks_delete", { path })).error).toBeNull();
  });

  it("[PROOF-111] who holds a step of the mode require brings no step without proof in its place", async () => {
    const { call } = await world('proof: "tests=require"\n');
    await call("agent:bob", "tasks_decompose", { steps: [{ title: "s", success_criteria: ["w"] }] });
    await call("agent:ada", "tasks_claim", {});
    const { error } = await call("agent:ada", "tasks_delete", { path: "s:0" });
    expect([error?.code, error?.message]).toEqual(["TERMS_HELD", expect.stringContaining("tests=require")]);
  });

  it.each<[string, string, JsonObject]>([
    ["a define", "tasks_define", { path: "s:0", files: ["src/a.ts"] }],
    ["a patch", "tasks_patch", { path: "s:0", ops: [{ op: "set", field: "files", value: ["test", "docs"] }] }],
    ["an undo", "tasks_undo", {}],
  ])("[PROOF-111] who holds a step takes no file from those that make its proof stale: %s", async (_, tool, input) => {
    const { call } = await world("");
    await call("agent:ada", "tasks_decompose", {
      steps: [{ title: "s", success_criteria: ["w"], proof: { docs: "captured" }, files: ["test"] }],
    });
    await call("agent:ada", "tasks_define", { path: "s:0", files: ["src", "test"] });
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    const { error } = await call("agent:ada", tool, input);
    expect([error?.code, error?.message]).toEqual(["TERMS_HELD", expect.stringContaining("proof on src, test while")]);
    // More files are taken, also the whole work tree.
    for (const files of [["test", "src", "docs"], ["."], []])
      expect((await call("agent:ada", "tasks_define", { path: "s:0", files })).error).toBeNull();
    expect((await call("agent:ada", "tasks_define", { path: "s:0", files: ["src", "test"] })).error?.message).toContain(
      "proof on the whole work tree while",
    );
    await call("agent:ada", "tasks_release", { path: "s:0" });
    expect((await call("agent:ada", "tasks_define", { path: "s:0", files: ["src/a.ts"] })).error).toBeNull();
  });

  it("[PROOF-111] who holds a step takes no file from them by a packet, and files of claims are the holder's", async () => {
    const { call, add } = await world("");
    await add({ tests: "captured" }, { tests: "require" });
    const as = (tool: string, input: JsonObject) => call("agent:ada", tool, input);
    const scoped = (allow: string[], deny: string[] = []) => ({ manifest: { ...MANIFEST, scope: { allow, deny } } });
    await as("tasks_claim", { path: "s:1" });
    expect((await as("tasks_define", { path: "s:1", files: ["src/a.ts"] })).error).toBeNull();
    expect((await as("packet_define", scoped(["src"]))).error).toBeNull();
    await as("tasks_claim", { path: "s:0" });
    const refusesLess = async (by: string) => {
      for (const [allow, deny] of [[["src/a"]], [["src"], ["src/a"]], [["test"]]] as const) {
        const { error } = await call(by, "packet_define", scoped([...allow], [...(deny ?? [])]));
        expect([error?.code, error?.message]).toEqual([
          "TERMS_HELD",
          expect.stringContaining("proof on src while agent:ada holds it"),
        ]);
      }
    };
    await refusesLess("agent:ada");
    // What no entry allows is not taken out by one that denies it.
    for (const deny of [["docs"], []]) expect((await as("packet_define", scoped(["src"], deny))).error).toBeNull();
    await as("tasks_define", { path: "s:0", packet: true });
    await refusesLess("agent:bob");
    expect((await as("packet_define", scoped([".", "src"], []))).error).toBeNull();
  });

  it("[PROOF-111] who holds a step whose mode takes no claim puts no new one with fewer files in its place", async () => {
    const { call, add } = await world('proof: "tests=captured"\n');
    await add(undefined, { tests: "off" });
    await call("agent:ada", "tasks_claim");
    const remove = (n: number) => call("agent:ada", "tasks_delete", { path: `s:${n}` });
    expect((await remove(0)).error).toMatchObject({
      code: "TERMS_HELD",
      message: expect.stringContaining("asks for tests=captured"),
    });
    expect((await remove(1)).error).toBeNull();
    await call("agent:ada", "tasks_release");
    expect((await remove(0)).error).toBeNull();
  });

  it("[PROOF-111] who holds a step takes back what the same actor asked of other eyes during that claim", async () => {
    const { call } = await world("");
    const define = (by: string, confirm: string[]) => call(by, "tasks_define", { path: "s:0", confirm });
    await call("agent:ada", "tasks_decompose", {
      steps: [{ title: "s", success_criteria: ["w"], confirm: ["criteria"] }],
    });
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    await define("agent:ada", ["criteria", "tests", "docs"]);
    expect((await define("agent:ada", ["tests"])).error?.code).toBe("TERMS_HELD");
    expect((await define("agent:ada", ["criteria"])).error).toBeNull();
    // What was asked before, or by another actor since, binds.
    await define("agent:ada", ["criteria", "tests"]);
    await call("agent:ada", "tasks_release", { path: "s:0" });
    await define("agent:bob", ["criteria"]);
    await define("agent:bob", ["criteria", "tests"]);
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    expect((await define("agent:ada", ["criteria"])).error?.code).toBe("TERMS_HELD");
  });

  it("[PROOF-55] who claimed a step does not confirm it; another actor does", async () => {
    const { call, add, done, doneInLog } = await world('confirm: "criteria=other"\n');
    await add(undefined);
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    const refused = (await done("agent:ada")).error!;
    expect([refused.code, refused.details]).toEqual([
      "CONFIRM_OTHER",
      { step_id: expect.any(String) as string, checkpoints: ["criteria"], by: "agent:ada" },
    ]);
    expect((await call("agent:ada", "tasks_verify", { path: "s:0", checkpoints: { tests: true } })).success).toBe(true);
    await call("agent:ada", "tasks_release", { path: "s:0" });
    // A claim that was given back is no way around.
    expect((await done("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
    expect((await done("human:bob")).success).toBe(true);
    expect(doneInLog()).toBe("human:bob");
  });

  it("[PROOF-55] of a step without a claim, another actor than the one who closes confirms it", async () => {
    const { call, add, done, doneInLog } = await world('confirm: "criteria=other,tests=other"\n');
    await add(undefined);
    expect((await done("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
    await call("human:bob", "tasks_verify", { path: "s:0", checkpoints: "gate" });
    expect((await call("human:bob", "tasks_done", { path: "s:0" })).error?.code).toBe("CONFIRM_OTHER");
    expect((await call("agent:ada", "tasks_done", { path: "s:0" })).success).toBe(true);
    expect(doneInLog()).toBe("agent:ada");
  });

  it("[PROOF-55] a confirmation that an undo takes back counts no more, also where an earlier one stands", async () => {
    const { call, add, done, doneInLog } = await world('confirm: "tests=other,criteria=other"\n');
    await add(undefined);
    const confirm = (by: string) => call(by, "tasks_verify", { path: "s:0", checkpoints: "gate" });
    const close = () => call("agent:ada", "tasks_done", { path: "s:0" });
    await confirm("agent:ada");
    await confirm("human:bob");
    expect((await call("human:bob", "tasks_undo")).success).toBe(true);
    expect((await close()).error?.code).toBe("CONFIRM_OTHER");
    expect((await done("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
    expect((await call("agent:ada", "tasks_redo")).success).toBe(true);
    expect((await close()).error?.code).toBe("CONFIRM_OTHER");
    await confirm("human:bob");
    expect((await close()).success).toBe(true);
    expect(doneInLog()).toBe("agent:ada");
  });

  it("[PROOF-55] a claim of the whole task covers its steps", async () => {
    const { call, add, done } = await world('confirm: "tests=other"\n');
    await add(undefined);
    await call("agent:ada", "tasks_claim");
    expect((await done("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
  });

  it.each([
    ["the whole", {}, undefined, "s:0"],
    ["a step above it", { path: "s:0" }, "s:0", "s:0.s:0"],
  ])(
    "[PROOF-55] who holds a claim of %s does not confirm a step that is added below",
    async (_, claim, parent, path) => {
      const { call, add } = await world('confirm: "tests=other"\n');
      if (parent) await add(undefined);
      await call("agent:ada", "tasks_claim", claim);
      const steps = [{ title: "new", success_criteria: ["works"] }];
      await call("agent:ada", "tasks_decompose", { steps, ...(parent ? { parent } : {}) });
      const verify = (by: string) => call(by, "tasks_verify", { path, checkpoints: "gate" });
      expect((await verify("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
      await call("agent:ada", "tasks_release", claim);
      expect((await verify("agent:ada")).error?.code).toBe("CONFIRM_OTHER");
      expect((await verify("agent:bob")).success).toBe(true);
    },
  );

  it.each(["tasks_progress", "tasks_undo"])(
    "[PROOF-55] a step that opens again below a claim counts as claimed (%s)",
    async (tool) => {
      const { call, add } = await world('confirm: "tests=other"\n');
      await add(undefined, undefined);
      await call("human:bob", "tasks_verify", { path: "s:0", checkpoints: "gate" });
      await call("agent:cy", "tasks_done", { path: "s:0" });
      // The refusal names the change of the other actor.
      const op = (await call("agent:ada", "tasks_undo")).error?.details?.["op"] as string;
      await call("agent:ada", "tasks_claim");
      const input = tool === "tasks_undo" ? { op } : { path: "s:0", completed: false, reason: "the tests were wrong" };
      const opened = await call("agent:ada", tool, input);
      expect(opened.error).toBeNull();
      await call("agent:ada", "tasks_release");
      const confirmed = await call("agent:ada", "tasks_verify", { path: "s:0", checkpoints: "gate" });
      expect(confirmed.error?.code).toBe("CONFIRM_OTHER");
    },
  );

  it("[PROOF-55] who brings back by undo or redo what another actor took back confirms it", async () => {
    const { call, add, done, doneInLog } = await world('confirm: "tests=other"\n');
    await add(undefined);
    await call("agent:ada", "tasks_claim", { path: "s:0" });
    await call("agent:ada", "tasks_verify", { path: "s:0", checkpoints: { criteria: true } });
    await call("agent:ada", "tasks_release", { path: "s:0" });
    const verify = (tests: boolean) => call("agent:bob", "tasks_verify", { path: "s:0", checkpoints: { tests } });
    const close = () => call("agent:ada", "tasks_done", { path: "s:0" });
    await verify(true);
    await verify(false);
    const op = (await call("agent:ada", "tasks_undo")).error?.details?.["op"] as string;
    expect((await call("agent:ada", "tasks_undo", { op })).success).toBe(true);
    expect((await close()).error?.code).toBe("CONFIRM_OTHER");
    await verify(false);
    await verify(true);
    await call("agent:bob", "tasks_undo");
    expect((await call("agent:ada", "tasks_redo")).success).toBe(true);
    expect((await close()).error?.code).toBe("CONFIRM_OTHER");
    await verify(false);
    await call("agent:bob", "tasks_close_step", { path: "s:0", checkpoints: "gate" });
    await call("agent:bob", "tasks_undo");
    expect((await call("agent:ada", "tasks_redo")).error?.code).toBe("CONFIRM_OTHER");
    expect(doneInLog()).toBeNull();
    expect((await done("agent:bob")).success).toBe(true);
  });

  it("[PROOF-55] the first of many confirmations counts again when undos took out the others", async () => {
    const { call, add } = await world("");
    await add(undefined);
    const checkpoints = { criteria: true, tests: true };
    await call("agent:ada", "tasks_verify", { path: "s:0", checkpoints });
    for (let n = 0; n < 20; n++) await call("agent:bob", "tasks_verify", { path: "s:0", checkpoints });
    for (let n = 0; n < 20; n++) expect((await call("agent:bob", "tasks_undo")).error).toBeNull();
    await call("agent:bob", "tasks_define", { path: "s:0", confirm: ["tests"] });
    expect((await call("agent:ada", "tasks_done", { path: "s:0" })).error?.code).toBe("CONFIRM_OTHER");
    expect((await call("agent:bob", "tasks_done", { path: "s:0" })).error).toBeNull();
  });

  it("[PROOF-55] who brought back what another took back does not stand for a later one", async () => {
    const { call, add } = await world("");
    await add(undefined);
    const op = async () => (await call("agent:zed", "tasks_undo")).error?.details?.["op"] as string;
    await call("agent:ada", "tasks_verify", { path: "s:0", checkpoints: { tests: true } });
    const given = await op();
    await call("agent:cy", "tasks_verify", { path: "s:0", checkpoints: { tests: false } });
    await call("agent:eve", "tasks_undo", { op: await op() });
    expect((await call("agent:fay", "tasks_undo", { op: given })).error).toBeNull();
    expect((await call("agent:gus", "tasks_redo")).error).toBeNull();
    await call("agent:bob", "tasks_define", { path: "s:0", confirm: ["tests"] });
    await call("agent:bob", "tasks_verify", { path: "s:0", checkpoints: { criteria: true } });
    expect((await call("agent:gus", "tasks_done", { path: "s:0" })).error?.code).toBe("CONFIRM_OTHER");
    expect((await call("agent:eve", "tasks_done", { path: "s:0" })).error).toBeNull();
  });

  // More than are kept in memory.
  it.each([0, RING * 2])(
    "[PROOF-55] an undo takes a confirmation out, also with %i changes behind it",
    async (changes) => {
      const { call, add, doneInLog } = await world("");
      await add(undefined);
      await call("agent:ada", "tasks_close_step", { path: "s:0", checkpoints: { criteria: true, tests: true } });
      await call("agent:bob", "tasks_define", { path: "s:0", confirm: ["tests"] });
      // It opens the step, and cy stands for its tests.
      await call("agent:cy", "tasks_verify", { path: "s:0", checkpoints: { tests: true, criteria: false } });
      const op = (await call("agent:dee", "tasks_undo")).error?.details?.["op"] as string;
      for (let n = 0; n < changes; n++) await call("agent:cy", "tasks_note", { note: `${n}` });
      // Ada alone confirmed what ada closed.
      expect((await call("agent:ada", "tasks_undo", { op })).error?.code).toBe("CONFIRM_OTHER");
      expect(doneInLog()).toBeNull();
    },
  );

  it("[PROOF-55] the line names checkpoints", () => {
    expect(parseConfirm("criteria, tests=other")).toEqual({ criteria: "other", tests: "other" });
    for (const text of ["", "criteria=me", "lint=other", "tests=other=other"])
      expect(parseConfirm(text)).toBeUndefined();
  });
});
