/** What a refused command leaves behind: nothing of its own, and all that a person wrote. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { git, json, real, refused, result, run, workspace } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";

function put(cwd: string, path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const env = (editor: string): Record<string, string> => ({ PATH: process.env["PATH"]!, EDITOR: editor });

describe("a forced close", () => {
  it("[CLI-118] that is refused leaves no confirmation behind", async () => {
    const cwd = await workspace();
    await run({ cwd }, "block", "1", "grammar", "--reason", "wait");
    const err = await refused(cwd, "INVALID_INPUT", 2, "done", "1", "grammar", "--confirm", "gate", "--force");
    expect(err).toContain("taskfold done TASK-001 s:0 --confirm gate --force --reason WHY");
    const how = ["--confirm", "criteria", "--force", "--reason", "now"];
    await refused(cwd, "CHECKPOINTS_NOT_CONFIRMED", 1, "done", "1", "grammar", ...how);
    expect((await run({ cwd }, "done", "1", "grammar", "--confirm", "gate", ...how.slice(2))).code).toBe(0);
  });
});

describe("bad input", () => {
  it("[CLI-118] [regression CLI-204] is answered with a command and not with the JSON of a tool", async () => {
    const cwd = await workspace();
    expect(await refused(cwd, "INVALID_INPUT", 2, "note", "1", "")).toContain("taskfold help note tells more.");
    const whole = await run({ cwd }, "call", "tasks_note", '{"task":"TASK-001","note":""}');
    expect(whole.err).toContain("An input that validates");
  });

  it("[CLI-112] a long id is no id of this workspace, whatever the system says of such names", async () => {
    const cwd = await workspace();
    for (const id of ["9".repeat(300), "x".repeat(5000)]) {
      const { err } = await run({ cwd }, "show", id);
      expect(err).not.toContain("STORAGE_FAILED");
      expect(err).toMatch(/^(?:UNKNOWN_ID|INVALID_INPUT): /);
    }
  });

  it("[CLI-112] archive takes a short id of a plan", async () => {
    const cwd = await workspace();
    for (const plan of ["1", "plan-1"])
      expect(await run({ cwd }, "archive", "--plan", plan)).toMatchObject({ code: 0, out: "0 archived\n" });
    await refused(cwd, "UNKNOWN_ID", 3, "archive", "--plan", "99");
  });
});

describe("list --limit", () => {
  it("[CLI-118] prints so many rows, and says how many are left", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Free");
    const { out } = await run({ cwd }, "list", "--limit", "2");
    expect(out.trim().split("\n")).toEqual([
      expect.stringContaining("PLAN-001"),
      expect.stringContaining("TASK-001"),
      "1 more: --limit",
    ]);
    expect((await run({ cwd }, "list", "--limit", "3")).out).not.toContain("more");
  });
});

describe("the editor", () => {
  const kept = (err: string): string => /kept in (\S+)$/m.exec(err)![1]!;

  it("[regression CLI-247] may save a byte order mark and CR before LF, which come into no field", async () => {
    const cwd = await workspace();
    const script = join(cwd, "editor.sh");
    const saved = (change: string): string =>
      `${change} "$1"\nsed -i 's/$/\\r/' "$1"\nprintf '\\357\\273\\277' | cat - "$1" > "$1.n"\ncat "$1.n" > "$1"\nrm "$1.n"\n`;
    writeFileSync(script, saved("true"));
    expect(await run({ cwd, env: env(`sh ${script}`) }, "edit", "1")).toEqual({
      code: 0,
      out: "TASK-001: nothing changed.\n",
      err: "",
    });
    writeFileSync(script, saved(`printf 'About it.\\n\\nMore.\\n' >> "$1"; sed -i 's/A parser/A lexer/'`));
    expect((await run({ cwd, env: env(`sh ${script}`) }, "edit", "1")).code).toBe(0);
    expect(await result(cwd, "show", "1")).toMatchObject({
      target: { title: "A lexer", revision: 2 },
      detail: { description: "About it.\n\nMore.", priority: "MEDIUM" },
    });
  });

  it("[regression CLI-247] that saves another encoding is refused, and its file is kept", async () => {
    const cwd = await workspace();
    const script = join(cwd, "editor.sh");
    writeFileSync(script, `printf 'title: caf\\351\\n' > "$1"\n`);
    const { code, err } = await run({ cwd, env: env(`sh ${script}`) }, "edit", "1");
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^INVALID_INPUT: Expected a text in UTF-8/) as string,
    });
    const path = kept(err);
    onTestFinished(() => rmSync(path));
    expect(readFileSync(path)).toEqual(Buffer.from("title: caf\xe9\n", "latin1"));
  });

  it("[CLI-118] keeps the text of a person if it is refused, and says where", ROTATING, async () => {
    const cwd = await workspace();
    const typo = await run({ cwd, env: env("sed -i s/^title:/titel:/") }, "edit", "1");
    expect(typo).toMatchObject({ code: 2, out: "" });
    const path = kept(typo.err);
    onTestFinished(() => rmSync(path));
    expect(readFileSync(path, "utf8")).toContain("titel: A parser");
    const script = join(cwd, "meanwhile.sh");
    const program = `${process.execPath} ${join(import.meta.dirname, "../../dist/cli.cjs")}`;
    writeFileSync(script, `echo "An hour of work" >> "$1"\n${program} -C ${cwd} note 1 meanwhile -q\n`);
    const late = await run({ cwd, env: env(`sh ${script}`) }, "edit", "1");
    expect(late.code).toBe(4);
    onTestFinished(() => rmSync(kept(late.err)));
    expect(readFileSync(kept(late.err), "utf8")).toContain("An hour of work");
  });

  it("[CLI-118] takes an emptied file for no change, and names an editor that fails", async () => {
    const cwd = await workspace();
    await run({ cwd }, "edit", "1", "--description", "three lines");
    const before = await run({ cwd }, "show", "1");
    expect(await run({ cwd, env: env("sed -i 1,20d") }, "edit", "1")).toMatchObject({
      code: 0,
      out: "TASK-001: nothing changed.\n",
    });
    for (const editor of ["rm -f", "false", "no-such-editor"]) {
      const { code, err } = await run({ cwd, env: env(editor) }, "edit", "1");
      expect(code, editor).toBe(2);
      expect(err, editor).toContain(JSON.stringify(editor));
      expect(err, editor).toMatch(/^ {2}Name another one/m);
    }
    expect(await run({ cwd }, "show", "1")).toEqual(before);
  });

  it("[CLI-118] keeps a tag with a comma whole", async () => {
    const cwd = await workspace();
    await run({ cwd }, "edit", "1", "--tag", "a,b", "--tag", 'say "hi"');
    await run({ cwd, env: env("sed -i 's/^tags: .*/&, c/'") }, "edit", "1");
    const { doc } = await json({ cwd }, "show", "1");
    expect(doc.result).toMatchObject({ detail: { tags: ["a,b", 'say "hi"', "c"] } });
  });

  it("[CLI-118] a step without options is told a command", async () => {
    const cwd = await workspace();
    const err = await refused(cwd, "INVALID_INPUT", 2, "edit", "1", "grammar");
    expect(err).toContain('taskfold edit TASK-001 grammar --title "A new title"');
  });
});

describe("git install", () => {
  const hooks = (cwd: string, name: string): string => join(cwd, ".git/hooks", name);

  async function repository(): Promise<string> {
    const cwd = await workspace();
    git(cwd, "init", "-q");
    mkdirSync(join(cwd, ".git/info"), { recursive: true });
    return cwd;
  }

  it("[GIT-1] is refused before it changes anything if the attributes cannot be read", ROTATING, async () => {
    const cwd = await repository();
    mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
    symlinkSync("/dev/null", join(cwd, ".git/info/attributes"));
    writeFileSync(hooks(cwd, "pre-commit"), "#!/bin/sh\necho mine\n");
    expect(real(cwd, ["git", "install", "--hooks"])).toMatchObject({ code: 2 });
    expect(readFileSync(hooks(cwd, "pre-commit"), "utf8")).toBe("#!/bin/sh\necho mine\n");
    expect(existsSync(hooks(cwd, "post-merge"))).toBe(false);
  });

  it("[GIT-1] [GIT-20] keeps lines that others added to a hook of ours", ROTATING, async () => {
    const cwd = await repository();
    expect(real(cwd, ["git", "install", "--hooks"]).code).toBe(0);
    expect(real(cwd, ["git", "install", "--hooks"]).code).toBe(0);
    const path = hooks(cwd, "pre-commit");
    const ours = readFileSync(path, "utf8");
    writeFileSync(path, `${ours}echo added by another tool\n`);
    expect(real(cwd, ["git", "status"])).toMatchObject({ code: 1, out: expect.stringContaining("hooks: partly") });
    for (const command of [["install", "--hooks"], ["uninstall"]]) {
      const { code, err } = real(cwd, ["git", ...command]);
      expect(code).toBe(2);
      expect(err).toContain("pre-commit.before-taskfold");
    }
    expect(readFileSync(path, "utf8")).toContain("added by another tool");
    writeFileSync(path, ours);
    expect(real(cwd, ["git", "uninstall"]).code).toBe(0);
    expect(existsSync(path)).toBe(false);
  });
});

describe("onboard --client codex", () => {
  const argv = ["onboard", "--client", "codex", "--yes"];
  const path = ".codex/config.toml";

  it.each([
    ["a changed value", (text: string) => text.replace("--toolset daily", "--toolset full")],
    ["a key behind it", (text: string) => `${text}startup_timeout_sec = 99\n`],
    ["a table below it", (text: string) => `${text}\n[mcp_servers.taskfold.env]\nA = "b"\n`],
  ])("[ONBOARD-4] leaves its table alone where a person put %s", async (_what, change) => {
    const cwd = await workspace();
    put(cwd, path, '[mcp_servers.other]\ncommand = "x"\n');
    await run({ cwd }, ...argv);
    const changed = change(readFileSync(join(cwd, path), "utf8"));
    put(cwd, path, changed);
    for (const more of [[], ["--remove"]]) {
      const { out } = await run({ cwd }, ...argv, ...more);
      expect(out).toContain(`${path} has an entry taskfold that differs`);
      expect(readFileSync(join(cwd, path), "utf8")).toBe(changed);
    }
  });

  it("[ONBOARD-4] sees a table that is no header, whatever a comment says", async () => {
    const cwd = await workspace();
    const text = "# see [mcp_servers]\nmcp_servers = {}\n";
    put(cwd, path, text);
    await run({ cwd }, ...argv);
    expect(readFileSync(join(cwd, path), "utf8")).toBe(text);
  });
});

describe("import", () => {
  const titles = async (cwd: string): Promise<string[]> => {
    const { tasks } = (await result(cwd, "list")) as unknown as { tasks: { title: string }[] };
    return tasks.map(({ title }) => title).toSorted();
  };

  it("[TRACKER-10] tells files of one name in two folders apart", async () => {
    const cwd = await workspace();
    put(cwd, "a/TODO.md", "- [ ] Write tests\n- [ ] A only\n");
    put(cwd, "b/TODO.md", "- [ ] Write tests\n- [ ] B only\n");
    for (const path of ["a/TODO.md", "b", "a/TODO.md", "b/TODO.md"]) await run({ cwd }, "import", "markdown", path);
    expect(await titles(cwd)).toEqual(["A only", "A parser", "B only", "Write tests", "Write tests"]);
  });

  it("[regression TRACKER-20] says of an item that was there from before if its title is another one", async () => {
    const cwd = await workspace();
    const list = (title: string): string => JSON.stringify({ tasks: [{ id: 1, title, status: "pending" }] });
    put(cwd, "a/tasks.json", list("Alpha"));
    put(cwd, "b/tasks.json", list("Beta"));
    await run({ cwd }, "import", "taskmaster", "a/tasks.json");
    expect((await run({ cwd }, "import", "taskmaster", "a/tasks.json")).out).not.toContain("Alpha");
    expect((await run({ cwd }, "import", "taskmaster", "b/tasks.json")).out).toContain(
      'tm-1 "Alpha" was there for "Beta"',
    );
  });

  it.each([
    ["an empty file", "beads", "in.jsonl", ""],
    ["an object of another program", "taskmaster", "in.json", "{}"],
    ["a page without boxes", "markdown", "in.md", "# A title\n"],
  ])("[TRACKER-13] refuses %s", async (_what, tracker, name, text) => {
    const cwd = await workspace();
    put(cwd, name, text);
    expect(await refused(cwd, "INVALID_INPUT", 2, "import", tracker, name)).toContain("none of its items");
  });

  it("[TRACKER-13] refuses a checklist with a conflict of git", async () => {
    const cwd = await workspace();
    put(cwd, "in.md", "- [ ] a\n<<<<<<< HEAD\n- [ ] b\n=======\n- [ ] c\n>>>>>>> other\n");
    expect(await refused(cwd, "INVALID_INPUT", 2, "import", "markdown", "in.md")).toContain("line 2");
  });

  it("[TRACKER-2] reads headings of both forms, and no box of code inside of a list", async () => {
    const cwd = await workspace();
    put(cwd, "in.md", "Garden\n======\n- [ ] x\n    ```\n    - [ ] in code\n    ```\n\n## Closed ##\n- [x] y\n");
    await run({ cwd }, "import", "markdown", "in.md");
    const { plans, tasks } = (await result(cwd, "list")) as unknown as Record<"plans" | "tasks", { title: string }[]>;
    expect(plans.map(({ title }) => title).toSorted()).toEqual(["Closed", "Garden", "Version 2"]);
    expect(tasks.map(({ title }) => title).toSorted()).toEqual(["A parser", "x", "y"]);
  });

  it("[TRACKER-2] keeps a priority that has no word here", async () => {
    const cwd = await workspace();
    put(cwd, "in.jsonl", '{"id":"p-2","title":"x","status":"open","priority":9}\n');
    await run({ cwd }, "import", "beads", "in.jsonl");
    expect((await run({ cwd }, "show", "bd-p-2")).out).toContain("Priority: 9");
  });
});

describe("export", () => {
  it("[CLI-70] escapes what a terminal would obey, in each form", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "evil\u202etxt");
    for (const form of ["csv", "json", "markdown"])
      expect((await run({ cwd }, "export", form)).out, form).not.toContain("\u202e");
    const { entries } = (await result(cwd, "export", "json")) as unknown as {
      entries: { target: { title: string } }[];
    };
    expect(entries.map(({ target }) => target.title)).toContain("evil\u202etxt");
  });
});

describe("the git folder", () => {
  it("[GIT-1] attributes keep every byte, whatever their encoding", ROTATING, async () => {
    const cwd = await workspace();
    git(cwd, "init", "-q");
    mkdirSync(join(cwd, ".git/info"), { recursive: true });
    const path = join(cwd, ".git/info/attributes");
    const bytes = Buffer.from("caf\xe9.txt -text\n*.bin binary", "latin1");
    writeFileSync(path, bytes);
    expect(real(cwd, ["git", "install"]).code).toBe(0);
    expect(readFileSync(path).subarray(0, bytes.length)).toEqual(bytes);
    expect(real(cwd, ["git", "uninstall"]).code).toBe(0);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it("[GIT-20] a link in the place of the hooks is refused: the files behind it are tracked", ROTATING, async () => {
    const cwd = await workspace();
    git(cwd, "init", "-q");
    put(cwd, "githooks/pre-commit", "#!/bin/sh\necho team hook\n");
    rmSync(join(cwd, ".git/hooks"), { recursive: true, force: true });
    symlinkSync("../githooks", join(cwd, ".git/hooks"));
    const { code, err } = real(cwd, ["git", "install", "--hooks"]);
    expect(code).toBe(2);
    expect(err).toContain("git config core.hooksPath");
    expect(readdirSync(join(cwd, "githooks"))).toEqual(["pre-commit"]);
    expect(real(cwd, ["git", "status"]).out).toContain("merge driver: not installed");
  });
});
