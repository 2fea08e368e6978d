/** Packets of a repository with a configuration of its own, by the command line. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import { json, run } from "./cli_support.ts";
import { Desk } from "./packet_desk.ts";
import { ROTATING } from "../support/sweep.ts";

/** The desk with its configuration in the repository, and a person who keeps trust elsewhere. */
class OwnDesk extends Desk {
  readonly env = { PATH: process.env["PATH"]!, XDG_DATA_HOME: join(this.folder, "data") };

  constructor() {
    super();
    renameSync(join(this.folder, "configs"), join(this.cwd, "configs"));
  }

  override run(...args: string[]) {
    return run({ cwd: this.cwd, env: this.env }, "packet", ...args);
  }

  override json(...args: string[]) {
    return json({ cwd: this.cwd, env: this.env }, "packet", ...args);
  }
}

describe("a repository with a configuration of its own", () => {
  it("[PACKET-383] [regression PACKET-426] is what validate, create, plan and compose go by without --config", async () => {
    const desk = new OwnDesk();
    desk.manifest({
      ...JSON.parse(readFileSync(join(desk.folder, "manifest.yaml"), "utf8")),
      routing: { intent: "safe_impl", model: { codex: "m1" } },
    });
    expect((await desk.run("validate", "../manifest.yaml")).code).toBe(0);
    expect((await desk.run("plan", "--manifest", "../manifest.yaml")).out).toContain(
      "model: configs/servant/gemini.yaml: default_model",
    );
    const made = await desk.run("create", "../manifest.yaml");
    const next = /\nNext: taskfold packet trust\nThen: taskfold packet run read-once\n$/;
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(next) });
    expect(await desk.run("compose", "read-once", "gemini_brief")).toMatchObject({ code: 0 });
    expect(desk.read("outputs/_summary.md")).toContain("- command: taskfold packet run read-once --allow-commands\n");
    writeFileSync(join(desk.cwd, "configs/servant/gemini.yaml"), "tool: gemini\n");
    for (const args of [
      ["validate", "../manifest.yaml"],
      ["plan", "read-once"],
      ["create", "../manifest.yaml", "--id", "b"],
    ])
      expect((await desk.run(...args)).err, args[0]).toContain("configs/servant/gemini.yaml, command:");
  });

  it("[PACKET-21] says of each value of a plan where it comes from, and of the plan a run would make", async () => {
    const desk = new OwnDesk();
    await desk.run("create", "../manifest.yaml");
    const { out } = await desk.run("plan", "read-once");
    for (const line of [
      /gemini_brief +m1 .*model: configs\/servant\/gemini.yaml: default_model; limit: manifest.yaml: budgets.max_wallclock_sec/,
      /^profile +built-in pipeline impl: intents.safe_impl/m,
      /^enable_brief +true +built-in pipeline impl: profiles.safe_impl.flags.enable_brief/m,
      /^timeout_mode +wait_done +built-in pipeline impl: profiles.safe_impl.options.timeout_mode/m,
      /^configuration +[0-9a-f]{12} +configs$/m,
    ])
      expect(out.replace(/\s*\n\s{2,}/g, " ")).toMatch(line);
    const { doc } = await desk.json("plan", "read-once");
    expect(doc.result).toMatchObject({
      from: { removed: [] },
      stages: [{ from: { servant: "configs/servant/gemini.yaml" } }, {}, {}, {}],
    });
    const servant = { tool: "gemini", command: ["x"], prompt: "stdin", default_model: "m2", allowed_models: ["m2"] };
    writeFileSync(join(desk.cwd, "configs/servant/gemini.yaml"), JSON.stringify(servant));
    const before = tree(desk.cwd);
    expect((await desk.run("plan", "read-once")).out).toMatch(/gemini_brief +m2/);
    expect(tree(desk.cwd)).toEqual(before);
  });

  it(
    "[PACKET-386] [regression PACKET-426] runs its programs after packet trust, which prints them, or with --config",
    ROTATING,
    async () => {
      const desk = new OwnDesk();
      await desk.run("create", "../manifest.yaml");
      const refused = await desk.run("run", "read-once", "--allow-commands");
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("CONFIG_NOT_TRUSTED") });
      expect(refused.err).toContain("taskfold packet trust");
      const trusted = await desk.run("trust");
      expect(trusted.code).toBe(0);
      expect(trusted.out).toMatch(
        /^Trusted until a file in configs\/ changes\.\npacket run may start:\n {2}configs\/servant\/gemini\.yaml: \S+gemini\.mjs -m '\{model\}'/,
      );
      expect(trusted.out).toContain("  configs/servant/codex.yaml: ");
      expect((await desk.run("run", "read-once", "--allow-commands")).out).toContain("read-once: done");
      expect(await desk.run("trust", "--revoke")).toMatchObject({ code: 0, out: "Trust taken away: 1 record.\n" });
      await desk.run("trust");
      const again = await desk.run("create", "../manifest.yaml", "--id", "again");
      expect(again.out).toMatch(/\nNext: taskfold packet run again\n$/);
      await desk.run("trust", "--revoke");
      expect((await desk.run("run", "again", "--allow-commands")).err).toContain("CONFIG_NOT_TRUSTED");
      expect((await desk.run("run", "again", "--allow-commands", "--config", "configs")).out).toContain("again: done");
      const review = await desk.run("review", "../manifest.yaml", "../manifest.yaml", "out");
      expect([review.err, existsSync(join(desk.cwd, "out"))]).toEqual([
        expect.stringContaining("CONFIG_NOT_TRUSTED"),
        false,
      ]);
    },
  );

  it("[PACKET-386] has nothing to trust without files, and shows no character that hides", async () => {
    const cwd = tempFolder();
    const env = { XDG_DATA_HOME: join(tempFolder(), "data") };
    expect(await run({ cwd, env }, "packet", "trust")).toMatchObject({
      code: 2,
      err: expect.stringContaining("found neither"),
    });
    mkdirSync(join(cwd, "configs/servant"), { recursive: true });
    const servant = {
      tool: "codex",
      command: ["x", "\u001b[2K\u202e"],
      prompt: "stdin",
      default_model: "m",
      allowed_models: ["m"],
    };
    writeFileSync(join(cwd, "configs/servant/codex.yaml"), JSON.stringify(servant));
    const { out } = await run({ cwd, env }, "packet", "trust");
    expect(out).toContain("configs/servant/codex.yaml: x ");
    for (const hidden of ["\u001b", "\u202e"]) expect(out).not.toContain(hidden);
  });
});

describe("packet init-scripts", () => {
  const SCRIPT = "scripts/agent-cli/post_impl_review.sh";

  it("[PACKET-160] writes the helper, which calls packet review with its arguments", async () => {
    const cwd = tempFolder();
    expect(await run({ cwd }, "packet", "init-scripts")).toEqual({ code: 0, out: `Made ${SCRIPT}.\n`, err: "" });
    expect(await run({ cwd }, "packet", "init-scripts")).toMatchObject({ code: 0, out: `${SCRIPT} is there.\n` });
    expect(statSync(join(cwd, SCRIPT)).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(cwd, SCRIPT), "utf8").trimEnd().split("\n")).toHaveLength(3);
    const bin = tempFolder();
    writeFileSync(join(bin, "taskfold"), '#!/bin/sh\nprintf "<%s>" "$@"\n');
    chmodSync(join(bin, "taskfold"), 0o755);
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    const said = execFileSync(join(cwd, SCRIPT), ["a pack.md", "report.md", "out"], { cwd, env, encoding: "utf8" });
    expect(said).toBe("<packet><review><a pack.md><report.md><out>");
  });

  it("[PACKET-160] leaves another file there alone, and follows no link", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "scripts/agent-cli"), { recursive: true });
    writeFileSync(join(cwd, SCRIPT), "#!/bin/bash\n# theirs\n");
    expect(await run({ cwd }, "packet", "init-scripts")).toMatchObject({
      code: 2,
      err: expect.stringContaining("found one"),
    });
    expect(readFileSync(join(cwd, SCRIPT), "utf8")).toContain("theirs");
    const linked = tempFolder();
    const outside = tempFolder();
    symlinkSync(outside, join(linked, "scripts"));
    expect((await run({ cwd: linked }, "packet", "init-scripts")).code).toBe(2);
    expect(tree(outside)).toEqual([]);
  });
});
