// @module-tag rotating
/** `taskfold onboard` on real files. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT, CLIENTS } from "../../src/hosts/onboard/clients.ts";
import { startCommandOf } from "../../src/hosts/onboard/start_command.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import { git, json, real, run } from "./cli_support.ts";

async function bound(files: Record<string, string> = {}): Promise<string> {
  const cwd = tempFolder();
  await run({ cwd }, "init", "--workspace", "acme/repo");
  put(cwd, files);
  return cwd;
}

function put(cwd: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
}

const MISSING = "Taskfold did not start: run npm ci in this work tree or put the command taskfold on the PATH.";

const read = (cwd: string, path: string): string => readFileSync(join(cwd, path), "utf8");
const all = CLIENTS.flatMap((name) => ["--client", name]);
/** What is in a folder, and not when. */
const state = (cwd: string): unknown => tree(cwd, { times: false });

const THEIRS = {
  ".mcp.json": '{"mcpServers":{"other":{"command":"x"}}}',
  ".claude/settings.json": '{\r\n\t"permissions": {},\r\n\t"hooks": {\r\n\t\t"SessionStart": []\r\n\t}\r\n}\r\n',
  ".codex/config.toml": 'model = "gpt" # mine\n\n[mcp_servers.other]\ncommand = "x"',
  ".vscode/mcp.json":
    '{\n    // servers of the team\n    "servers": {\n        "a": { "command": "x" }, // first\n    },\n}\n',
  "opencode.jsonc": '{\n  "$schema": "https://opencode.ai/config.json" /* form */\n}\n',
  "AGENTS.md": "# Ours\r\n\r\nBe kind.\r\n",
  "CLAUDE.md": "# Claude",
};

describe("onboard", () => {
  it("[ONBOARD-1] without a workspace it is refused, without a client it writes the section and names them", async () => {
    const outside = tempFolder();
    expect(await run({ cwd: outside }, "onboard", "--yes")).toMatchObject({ code: 3 });
    const cwd = await bound();
    const { code, out } = await run({ cwd }, "onboard", "--yes");
    expect(code).toBe(0);
    expect(out).toContain(`No client was found here. Name one with --client: ${CLIENTS.join(", ")}.`);
    expect(readdirSync(cwd).toSorted()).toEqual([".coco", "AGENTS.md"]);
    expect(await run({ cwd }, "onboard", "--client", "emacs")).toMatchObject({ code: 2 });
  });

  it("[ONBOARD-2] it writes a stop hook on request, and takes it out", async () => {
    const cwd = await bound({ ".claude/settings.json": THEIRS[".claude/settings.json"] });
    const before = state(cwd);
    const { doc } = await json({ cwd }, "onboard", ...all, "--stop-hook", "--yes");
    expect((doc.result as { notes: string[] }).notes.slice(0, 4)).toEqual(
      ["Gemini CLI", "VS Code", "Copilot CLI", "OpenCode"].map((title) => `No stop hook is written for ${title}.`),
    );
    const hooks = (path: string) => (JSON.parse(read(cwd, path)) as { hooks: Record<string, unknown> }).hooks;
    const line = (client: string, form = "") =>
      `npx -c "taskfold prime --stop-hook${form} --by agent:${client}" || echo ${MISSING} 1>&2`;
    const stop = (client: string) => [{ hooks: [{ type: "command", command: line(client) }] }];
    expect(hooks(".claude/settings.json")["Stop"]).toEqual(stop("claude-code"));
    expect(hooks(".codex/hooks.json")["Stop"]).toEqual(stop("codex"));
    expect(hooks(".cursor/hooks.json")["stop"]).toEqual([{ command: line("cursor", " cursor"), loop_limit: 2 }]);
    expect((await run({ cwd }, "onboard", ...all, "--stop-hook", "--yes")).out).toMatch(/^Nothing to change\./);
    await run({ cwd }, "onboard", "--remove", "--yes");
    expect(state(cwd)).toEqual(before);
  });

  it("[ONBOARD-1] it finds clients by their files", async () => {
    for (const name of CLIENTS) {
      for (const trace of CLIENT[name].traces) {
        const cwd = await bound();
        if (/\.(?:json|jsonc)$/.test(trace)) put(cwd, { [trace]: "{}" });
        else if (/\.md$|cursorrules$/.test(trace)) put(cwd, { [trace]: "text\n" });
        else mkdirSync(join(cwd, trace));
        const { doc } = await json({ cwd }, "onboard", "--dry-run");
        expect((doc.result as { clients: string[] }).clients, trace).toEqual([name]);
      }
    }
  });

  it("[ONBOARD-2] each client gets its entry in its own file and form", async () => {
    const cwd = await bound();
    const { doc } = await json({ cwd }, "onboard", ...all, "--yes");
    expect((doc.result as { written: boolean }).written).toBe(true);
    const value = (path: string): Record<string, never> => JSON.parse(read(cwd, path)) as Record<string, never>;
    const args = (client: string, root = ""): string[] => [
      "-c",
      `taskfold mcp ${root}--workspace acme/repo --toolset daily --by agent:${client} || echo ${MISSING} 1>&2`,
    ];
    const entry = (client: string, root?: string) => ({ command: "npx", args: args(client, root) });
    const start = (client: string, form = "") => `npx -c "taskfold prime --hook${form} --by agent:${client}"`;
    const hook = (client: string) => ({
      SessionStart: [{ hooks: [{ type: "command", command: `${start(client)} || echo ${MISSING}` }] }],
    });
    expect(value(".codex/hooks.json")).toEqual({ hooks: hook("codex") });
    const flat = (client: string) => `${start(client, ` ${client}`)} || echo ${MISSING} 1>&2`;
    const powershell = `npx -c "taskfold prime --hook copilot --by agent:copilot || echo ${MISSING} 1>&2"`;
    expect(value(".cursor/hooks.json")).toEqual({ version: 1, hooks: { sessionStart: [{ command: flat("cursor") }] } });
    expect(value(".github/hooks/taskfold.json")).toEqual({
      version: 1,
      hooks: { sessionStart: [{ type: "command", bash: flat("copilot"), powershell }] },
    });
    const inFolder = '--root "${workspaceFolder}" ';
    expect(value(".mcp.json")).toEqual({ mcpServers: { taskfold: entry("claude-code") } });
    expect(value(".claude/settings.json")).toEqual({ hooks: hook("claude-code") });
    expect(value(".gemini/settings.json")).toEqual({
      mcpServers: { taskfold: entry("gemini") },
      hooks: hook("gemini"),
    });
    expect(value(".cursor/mcp.json")).toEqual({ mcpServers: { taskfold: entry("cursor", inFolder) } });
    expect(value(".vscode/mcp.json")).toEqual({
      servers: { taskfold: { type: "stdio", ...entry("vscode", inFolder) } },
    });
    const copilot = { type: "local", ...entry("copilot"), tools: ["*"] };
    expect(value(".github/mcp.json")).toEqual({ mcpServers: { taskfold: copilot } });
    const opencode = { type: "local", command: ["npx", ...args("opencode")], enabled: true };
    expect(value("opencode.json")).toEqual({ mcp: { taskfold: opencode } });
    expect(read(cwd, ".codex/config.toml").split("\n").slice(1, 4)).toEqual([
      "[mcp_servers.taskfold]",
      'command = "npx"',
      `args = [${args("codex")
        .map((one) => JSON.stringify(one))
        .join(", ")}]`,
    ]);
  });

  it("[ONBOARD-1] the difference is one that git applies, and a person is asked", async () => {
    const cwd = await bound({ ".mcp.json": '{\n  "mcpServers": {}\n}\n', "CLAUDE.md": "# Claude" });
    const before = state(cwd);
    const shown = (await run({ cwd }, "onboard", "--dry-run")).out;
    expect(shown).toContain("Would change .mcp.json, .claude/settings.json, AGENTS.md, CLAUDE.md.");
    expect(await run({ cwd }, "onboard")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("--yes") as string,
    });
    expect(await json({ cwd, answer: "y" }, "onboard")).toMatchObject({ code: 2 });
    expect(await run({ cwd, answer: "no" }, "onboard")).toMatchObject({ code: 2 });
    expect(state(cwd)).toEqual(before);

    const { doc } = await json({ cwd }, "onboard", "--dry-run");
    const { files } = doc.result as { files: { path: string; action: string; diff: string }[] };
    expect(files.map(({ path, action }) => `${action} ${path}`)).toEqual([
      "change .mcp.json",
      "create .claude/settings.json",
      "create AGENTS.md",
      "change CLAUDE.md",
    ]);
    expect(shown.startsWith(files.map(({ diff }) => diff).join(""))).toBe(true);

    const copy = tempFolder();
    put(copy, { ".mcp.json": read(cwd, ".mcp.json"), "CLAUDE.md": read(cwd, "CLAUDE.md") });
    git(copy, "init", "--quiet");
    writeFileSync(join(copy, "patch"), shown.slice(0, shown.indexOf("Would change")));
    git(copy, "apply", "patch");
    expect(await run({ cwd, answer: "y" }, "onboard")).toMatchObject({ code: 0 });
    for (const path of [".mcp.json", ".claude/settings.json", "AGENTS.md", "CLAUDE.md"])
      expect(read(copy, path), path).toBe(read(cwd, path));
  });

  it("[ONBOARD-1] a file that changes while the question stands is not overwritten", async () => {
    const cwd = await bound({ "AGENTS.md": "# Ours\n" });
    let looks = 0;
    const asked = {
      cwd,
      /** Looked at once to see whether a person is there, and again for the answer. */
      get answer(): string {
        if (looks++ > 0) put(cwd, { "AGENTS.md": "# Ours, edited\n" });
        return "y";
      },
    };
    const { code, err } = await run(asked, "onboard", "--client", "codex");
    expect(code).toBe(2);
    expect(err).toMatch(/^INVALID_INPUT: Expected AGENTS\.md as it was shown/);
    expect(read(cwd, "AGENTS.md")).toBe("# Ours, edited\n");
    expect(existsSync(join(cwd, ".codex"))).toBe(false);
  });

  it("[ONBOARD-4] [ONBOARD-6] it keeps what is there, repeats to nothing, and --remove brings every byte back", async () => {
    const cwd = await bound(THEIRS);
    chmodSync(join(cwd, ".mcp.json"), 0o600);
    const before = state(cwd);
    expect(await run({ cwd }, "onboard", ...all, "--yes")).toMatchObject({ code: 0 });
    expect(read(cwd, ".vscode/mcp.json")).toMatch(
      /servers of the team[^]*"x" \}, \/\/ first\n {8}"taskfold": \{\n {12}"type"[^]*\n {8}\},\n {4}\},\n\}\n$/,
    );
    expect(read(cwd, "AGENTS.md").replaceAll("\r\n", "")).not.toContain("\n");
    expect(read(cwd, ".claude/settings.json").replaceAll("\r\n", "")).not.toContain("\n");
    expect(existsSync(join(cwd, "opencode.json"))).toBe(false);
    expect(statSync(join(cwd, ".mcp.json")).mode & 0o777).toBe(0o600);
    const after = state(cwd);
    const { doc } = await json({ cwd }, "onboard", ...all, "--yes");
    expect(doc.result).toMatchObject({ written: false, files: [], notes: [] });
    expect(state(cwd)).toEqual(after);
    expect(await run({ cwd }, "onboard", "--remove", "--yes")).toMatchObject({ code: 0 });
    expect(state(cwd)).toEqual(before);
    expect((await run({ cwd }, "onboard", "--remove")).out).toBe("Nothing to change.\n");
  });

  it("[ONBOARD-6] files and folders that it made are gone again", async () => {
    const cwd = await bound();
    const before = state(cwd);
    await run({ cwd }, "onboard", ...all, "--yes");
    put(cwd, { ".github/mine.yml": "x" });
    await run({ cwd }, "onboard", "--remove", "--yes");
    expect(read(cwd, ".github/mine.yml")).toBe("x");
    spawnSync("rm", ["-r", join(cwd, ".github")]);
    expect(state(cwd)).toEqual(before);
  });

  it("[ONBOARD-2] --command starts it by other words, and gives way to others again", async () => {
    for (const clients of [all, ["--client", "codex"]]) {
      const cwd = await bound(clients === all ? THEIRS : {});
      const before = state(cwd);
      await run({ cwd }, "onboard", ...clients, "--stop-hook", "--command", "taskfold", "--yes");
      const after = state(cwd);
      expect(read(cwd, ".codex/config.toml")).toContain(
        'command = "taskfold"\nargs = ["mcp", "--workspace", "acme/repo"',
      );
      const hooks = read(cwd, ".codex/hooks.json");
      expect(hooks).toContain(`"taskfold prime --hook --by agent:codex || echo Taskfold did not start: `);
      expect(read(cwd, "AGENTS.md")).toContain("`taskfold prime`");
      expect(read(cwd, "AGENTS.md")).not.toContain("npx");
      expect((await run({ cwd }, "onboard", ...clients, "--stop-hook", "--command", "taskfold", "--yes")).out).toMatch(
        /^Nothing to change\./,
      );
      const { doc } = await json({ cwd }, "onboard", ...clients, "--stop-hook", "--yes");
      expect((doc.result as { command: string }).command).toBe("npx --no -- taskfold");
      expect(read(cwd, ".codex/config.toml")).toContain('command = "npx"');
      expect(read(cwd, ".codex/hooks.json").match(/prime --hook/g)).toHaveLength(1);
      // A stop hook that is there goes on, by the new command.
      await run({ cwd }, "onboard", ...clients, "--command", "taskfold", "--yes");
      expect(read(cwd, ".codex/hooks.json").match(/"taskfold prime --(?:stop-)?hook/g)).toHaveLength(2);
      expect(clients === all ? after : state(cwd)).toEqual(after);
      await run({ cwd }, "onboard", "--remove", "--yes");
      expect(state(cwd)).toEqual(before);
    }
    const cwd = await bound();
    await run({ cwd }, "onboard", "--client", "claude-code", "--command", "pnpm exec taskfold", "--yes");
    const entry = JSON.parse(read(cwd, ".mcp.json")) as {
      mcpServers: { taskfold: { command: string; args: string[] } };
    };
    expect(entry.mcpServers.taskfold).toMatchObject({ command: "pnpm" });
    expect(entry.mcpServers.taskfold.args.slice(0, 3)).toEqual(["exec", "taskfold", "mcp"]);
    for (const command of ["a;b", "$(x)", "-x", "", 'a "b"', "a\nb", "x".repeat(201)])
      expect(await run({ cwd }, "onboard", "--command", command, "--dry-run"), command).toMatchObject({ code: 2 });
  });

  it("[ONBOARD-2] without --command what is there decides, and a note says what is missing", async () => {
    const global = tempFolder();
    writeFileSync(join(global, "taskfold"), "#!/bin/sh\n", { mode: 0o755 });
    const onPath = (path: string | undefined, cwd: string) =>
      real(cwd, ["onboard", "--client", "codex", "--dry-run", "--json"], { PATH: path ?? "" });
    const told = (path: string | undefined, cwd: string) =>
      (JSON.parse(onPath(path, cwd).out) as { result: { command: string; notes: string[] } }).result;
    const without = process.env["PATH"];
    const withIt = `${global}:${without}`;
    const bare = await bound();
    expect(told(withIt, bare)).toMatchObject({ command: "taskfold", notes: [] });
    expect(told(without, bare)).toMatchObject({
      command: "npx --no -- taskfold",
      notes: [expect.stringMatching(/^Neither the packages of this folder nor the PATH have taskfold yet/) as string],
    });
    const args = (command: string) => ["onboard", "--client", "codex", "--dry-run", "--json", "--command", command];
    for (const [command, note] of [
      ["nope mcp", "The PATH has no nope yet"],
      ["./nope", "There is no ./nope yet"],
    ] as const)
      expect(real(bare, args(command)).out).toContain(note);
    expect((JSON.parse(real(bare, args("git x")).out) as { result: { notes: string[] } }).result.notes).toEqual([]);
    const named = await bound({ "package.json": '{"devDependencies":{"taskfold":"^0.1.0"}}' });
    expect(told(withIt, named)).toMatchObject({ command: "npx --no -- taskfold", notes: [] });
    const installed = await bound({ "node_modules/.bin/taskfold": "" });
    mkdirSync(join(installed, "below"));
    expect(told(without, installed)).toMatchObject({ command: "npx --no -- taskfold", notes: [] });
    expect(told(withIt, await bound({ "package.json": "not JSON" })).command).toBe("taskfold");
    expect([bare, named].map((root) => startCommandOf(root, true))).toEqual(["taskfold", "npx --no -- taskfold"]);
  });

  it(
    "[ONBOARD-15] in a work tree without packages each hook ends with 0, and hook and server say what to do",
    { timeout: 60_000 },
    async () => {
      const env = { ...process.env, npm_config_offline: "true" };
      for (const command of ["npx --no -- taskfold", "taskfold"]) {
        const cwd = await bound();
        await run({ cwd }, "onboard", ...all, "--stop-hook", "--command", command, "--yes");
        const hooks = [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json", ".cursor/hooks.json"];
        const lines = [...hooks, ".github/hooks/taskfold.json"].flatMap((path) =>
          [...read(cwd, path).matchAll(/"(?:command|bash)": (".*")/g)].map(([, line]) => JSON.parse(line!) as string),
        );
        expect(new Set(lines.filter((line) => line.includes("prime"))).size).toBe(8);
        for (const line of lines.filter((one) => one.includes("prime"))) {
          const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { cwd, env, encoding: "utf8", input: "{}" });
          expect({ line, status }).toEqual({ line, status: 0 });
          expect(stdout + stderr).toContain("Taskfold did not start: ");
          expect(stdout + stderr).not.toContain("npm error");
          // A stop hook that says something on stdout is one that decides.
          expect([line.includes("--stop-hook"), stdout !== ""]).not.toEqual([true, true]);
        }
        if (command === "taskfold") continue;
        const { mcpServers } = JSON.parse(read(cwd, ".mcp.json")) as {
          mcpServers: { taskfold: { command: string; args: string[] } };
        };
        const { taskfold: server } = mcpServers;
        const { stdout, stderr } = spawnSync(server.command, server.args, { cwd, env, encoding: "utf8", input: "" });
        expect(stdout).toBe("");
        expect(stderr).toContain(MISSING);
        expect(stderr).not.toContain("npm error");
      }
    },
  );

  it("[ONBOARD-2] the section has fewer than 25 lines, and names the guides", async () => {
    const cwd = await bound();
    await run({ cwd }, "onboard", "--yes");
    const section = read(cwd, "AGENTS.md");
    expect(section.trimEnd().split("\n").length).toBeLessThan(25);
    expect(section).toContain("`taskfold://guide/plan`, `/work`, `/hand-over` and `/review`");
    expect(section).toContain('"exit_code":<exit code>,"stdout":"<output>"');
  });

  it("[ONBOARD-4] an entry of a person is left alone", async () => {
    const files = {
      ".mcp.json": '{"mcpServers":{"taskfold":{"command":"mine"}}}',
      ".codex/config.toml": '[mcp_servers]\n"taskfold" = { command = "mine" }\n',
    };
    const cwd = await bound(files);
    const clients = ["--client", "claude-code", "--client", "codex"];
    const { out } = await run({ cwd }, "onboard", ...clients, "--yes");
    for (const [path, text] of Object.entries(files)) {
      expect(out).toContain(`Note: ${path} has an entry taskfold`);
      expect(read(cwd, path)).toBe(text);
    }
    await run({ cwd }, "onboard", "--remove", ...clients, "--yes");
    for (const [path, text] of Object.entries(files)) expect(read(cwd, path)).toBe(text);
    put(cwd, { ".codex/config.toml": 'mcp_servers = { other = { command = "x" } }\n' });
    expect((await run({ cwd }, "onboard", "--client", "codex", "--dry-run")).out).toContain("Note: .codex/config.toml");
  });

  it("[ONBOARD-7] what cannot be read is refused with its line, and nothing is written", async () => {
    const bad: Record<string, [string | Buffer, RegExp]> = {
      ".mcp.json": ['{\n  "mcpServers": {\n    "a": 1 2\n', /\.mcp\.json to be JSON: line 3: expected ","/],
      ".claude/settings.json": [
        '{"hooks": 1}',
        /settings\.json to be JSON: line 1: expected "hooks" to hold an object/,
      ],
      ".codex/config.toml": ["a = 1\nb\n", /config\.toml to be TOML: line 2: expected "="/],
      "AGENTS.md": ["<!-- taskfold:end -->\n", /Expected one line <!-- taskfold:begin/],
      "CLAUDE.md": [Buffer.from([0x80]), /CLAUDE\.md to be UTF-8/],
      "GEMINI.md": ["x".repeat(1024 * 1024 + 1), /GEMINI\.md to be at most 1048576 bytes/],
    };
    for (const [path, [text, message]] of Object.entries(bad)) {
      const cwd = await bound();
      put(cwd, { [path]: "" });
      writeFileSync(join(cwd, path), text);
      const before = state(cwd);
      const { code, err } = await run({ cwd }, "onboard", ...all, "--yes");
      expect(code, path).toBe(2);
      expect(err).toMatch(message);
      expect(err).toMatch(/\n +\S/);
      expect(state(cwd)).toEqual(before);
    }
  });

  it("[ONBOARD-2] the section stands in AGENTS.md and in what some clients read instead", async () => {
    const cwd = await bound({ "CLAUDE.md": "Read this.\n\n@AGENTS.md\n", "GEMINI.md": "# Gemini\n" });
    const { out } = await run({ cwd }, "onboard", "--yes");
    expect(out).toContain("Note: CLAUDE.md takes in AGENTS.md");
    expect(read(cwd, "CLAUDE.md")).toBe("Read this.\n\n@AGENTS.md\n");
    const section = read(cwd, "AGENTS.md");
    expect(read(cwd, "GEMINI.md")).toBe(`# Gemini\n\n${section}`);
    put(cwd, { "AGENTS.md": `# Ours\n\n${section.replace("## Tasks", "## Of an older release")}\nmore\n` });
    await run({ cwd }, "onboard", "--yes");
    expect(read(cwd, "AGENTS.md")).toBe(`# Ours\n\n${section}\nmore\n`);
  });

  it("[ONBOARD-7] links are not followed", async () => {
    const outside = tempFolder();
    put(outside, { "mcp.json": "{}", "folder/settings.json": "{}", "CLAUDE.md": "theirs\n" });
    const before = state(outside);
    for (const [target, path] of [
      ["mcp.json", ".mcp.json"],
      ["folder", ".claude"],
      ["missing", ".mcp.json"],
    ] as const) {
      const cwd = await bound();
      symlinkSync(join(outside, target), join(cwd, path));
      for (const how of [[], ["--remove"]]) {
        const { code, err } = await run({ cwd }, "onboard", "--client", "claude-code", "--yes", ...how);
        expect(code, path).toBe(2);
        expect(err).toMatch(/^PATH_UNSAFE: Expected \S+ to be reached without a link/);
      }
    }
    const cwd = await bound();
    symlinkSync(join(outside, "CLAUDE.md"), join(cwd, "CLAUDE.md"));
    expect((await run({ cwd }, "onboard", "--client", "codex", "--yes")).out).toContain("Note: CLAUDE.md is a link");
    expect(state(outside)).toEqual(before);
  });

  it("[ONBOARD-6] one client goes alone, and the sections go with the last", async () => {
    const cwd = await bound();
    const before = state(cwd);
    await run({ cwd }, "onboard", "--client", "codex", "--client", "gemini", "--yes");
    await run({ cwd }, "onboard", "--remove", "--client", "codex", "--yes");
    expect(readdirSync(cwd).toSorted()).toEqual([".coco", ".gemini", "AGENTS.md"]);
    await run({ cwd }, "onboard", "--remove", "--client", "gemini", "--yes");
    expect(state(cwd)).toEqual(before);
  });

  it("[regression ONBOARD-17] an agent that knows only what onboard wrote closes a step with proof", () => {
    const program = join(ROOT, "test/suites/onboard/run.mjs");
    const argv = [program, "--json", "--client", "claude-code", "--client", "codex"];
    const { stdout, status } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    const told = JSON.parse(stdout) as { passed: number; checks: { check: string; ok: boolean }[] };
    expect(told.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(told.passed).toBeGreaterThan(45);
    expect(status).toBe(0);
  });

  it("[ONBOARD-1] the built program does it too", async () => {
    const cwd = await bound(THEIRS);
    const before = state(cwd);
    expect(real(cwd, ["onboard", "--yes"])).toMatchObject({ code: 0, err: "" });
    expect(state(cwd)).not.toEqual(before);
    expect(real(cwd, ["onboard", "--remove", "--yes"])).toMatchObject({ code: 0, err: "" });
    expect(state(cwd)).toEqual(before);
  });
});
