import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handOff } from "../../../src/rules/packet/hand_off.ts";
import { shellEnd } from "../../../src/rules/packet/shell_text.ts";
import { acceptanceCommands } from "../../../src/state/packet_next.ts";
import { someManifest, somePacket } from "../../support/some_packet.ts";
import { runsOf, SWEEP, ROTATING } from "../../support/sweep.ts";

const pack = (brief: string): string | null => handOff(brief).pack;
const commands = (block: string): string[] | null => handOff(`## Verify Commands\n${block}`).commands;

describe("hand-off of a brief", () => {
  it("[PACKET-75] takes the pack from its first numbered heading on", () => {
    expect(
      pack("## Updated Context Pack\n\nHere it is.\n\n# Pack\n\n## 0. Goal\nx\n\n### 0.1\n## 1. Non-goals\nnone\n\n"),
    ).toBe("## 0. Goal\nx\n\n### 0.1\n## 1. Non-goals\nnone\n");
    expect(pack("## Updated Context Pack\r\n## 0. Goal\r\nx\r\n")).toBe("## 0. Goal\nx\n");
  });

  it("[PACKET-75] takes a pack without numbers as it stands", () => {
    expect(pack("## Updated Context Pack\n\n### Goal\nx\n## Notes\ny\n")).toBe("### Goal\nx\n");
  });

  it("[PACKET-75] gives nothing where there is nothing", () => {
    for (const brief of [
      "",
      "## Summary\n## 0. Goal\nx\n",
      "## Updated Context Pack\n\n  \n",
      "## Updated Context Pack\n## Scope\n",
    ]) {
      expect(pack(brief)).toBeNull();
    }
    expect(pack("## Updated Context Pack\n## Scope\n## 0. Goal\nof another section\n")).toBeNull();
  });

  it("[PACKET-75] takes the section that is spelled exactly so before others like it", () => {
    expect(pack("## updated context pack\n## 0. Sample\n## Updated Context Pack\n## 0. Goal\n")).toBe("## 0. Goal\n");
    expect(pack("## 6. updated context pack\n## 0. Goal\nx\n")).toBe("## 0. Goal\nx\n");
  });

  it("[PACKET-75] ends before a section of the brief", () => {
    const text = "## Updated Context Pack\n## 0. Goal\nx\n";
    expect(pack(`${text}## Verify Commands\ny\n`)).toBe("## 0. Goal\nx\n");
    expect(pack(`${text}# Appendix\n## 1. Non-goals\n`)).toBe("## 0. Goal\nx\n");
  });

  it.each([
    ["backticks", "```", "```"],
    ["tildes", "~~~md", "~~~"],
    ["a longer fence", "`````", "`````"],
    ["an indented fence", "  ```", "  ```"],
  ])("[PACKET-75] code in %s neither begins nor ends it", (_, open, close) => {
    const sample = `${open}\n## Updated Context Pack\n## 0. Sample\n## Notes\n${close}\n`;
    expect(pack(`${sample}## Updated Context Pack\n## 0. Goal\n${sample}## 1. Non-goals\nz\n`)).toBe(
      `## 0. Goal\n${sample}## 1. Non-goals\nz\n`,
    );
  });

  it("[PACKET-75] a markdown block with a block in it ends where its author meant", () => {
    const sample = "```markdown\n## Updated Context Pack\n```sh\nx\n```\n## 0. Sample\n```\n";
    expect(pack(`${sample}## Updated Context Pack\n## 0. Goal\n`)).toBe("## 0. Goal\n");
  });

  it("[PACKET-77] takes the first block of the section", () => {
    expect(commands("Run:\n\n```bash\nnpm test\n\n  npm run lint  \n```\n```\nno\n```\n")).toEqual([
      "npm test",
      "npm run lint",
    ]);
    expect(commands("~~~\r\nnpm test\r\n~~~\r\n")).toEqual(["npm test"]);
    expect(commands("1. here\n\n   ```\n   npm test\n   ```\n")).toEqual(["npm test"]);
  });

  it("[PACKET-77] takes none of another section, none without an end and none without a command", () => {
    expect(
      handOff("## Summary\n```\nrm -rf x\n```\n## Verify Commands\nnone\n## Scope\n```\nrm x\n```\n").commands,
    ).toBeNull();
    expect(commands("```\nnpm test\n## Scope\nrm\n")).toBeNull();
    expect(commands("```\n\n# only this\n```\n")).toBeNull();
    expect(handOff("```\n## Verify Commands\n```\n").commands).toBeNull();
  });

  it("[PACKET-77] joins lines that go on, and drops comments", () => {
    expect(commands("```\n# first\nnpm test \\\n   --run \\\n  a\n  # then\nx # y\n```\n")).toEqual([
      "npm test --run a",
      "x # y",
    ]);
    expect(commands('```\necho "a \\\n  b"\n```\n')).toEqual(['echo "a   b"']);
    expect(commands("```\nab\\\ncd\n```\n")).toEqual(["abcd"]);
    expect(commands("```\necho a\\\\\necho b\n```\n")).toEqual(["echo a\\\\", "echo b"]);
    expect(commands("```\nnpm test \\\n```\n")).toEqual(["npm test"]);
  });

  it("[PACKET-77] a command goes on while a quote, a here-document, a bracket or a block is open", () => {
    for (const command of [
      "for f in a b; do\n  echo $f\n\n  # why\ndone",
      "if test -f x; then\n  echo 'done'\nelse\n  exit 1\nfi",
      "cat <<EOF | grep a\n$(a `b\n  EOF\nEOF",
      "cat <<-'END' <<\"B\"\n\tEND\nx\nB",
      "node -e 'const a = 1;\nprocess.exit(a - 1)'",
      'test "$(echo "a b" |\n  tr a b)" = "b b"',
      "case $x in\n  a) echo done ;;\n  (b|c) echo fi ;;\nesac",
      "(cd src &&\n  ls)",
      "f() {\n  echo ${#x} ${x:-}}\n}; f",
      "npm test ||\n  exit 1",
      "echo $'it\\'s\nthis'",
    ])
      expect(commands(`\`\`\`sh\n${command}\nls\n\`\`\`\n`), command).toEqual([command, "ls"]);
    for (const command of [
      "echo $(x) done # it's",
      'echo "fi" } {a,b} a#b \\" if',
      "find . -exec ls {} \\;",
      "echo $((1 + (2))) 2>&1 >&2",
      "git log @{u}.. ${x#*a}",
    ])
      expect(commands(`\`\`\`\n${command}\nls\n\`\`\`\n`), command).toEqual([command, "ls"]);
  });

  it("[PACKET-77] what sh takes is whole, and what it takes for unfinished is not", ROTATING, () => {
    for (const [text, end] of [
      ["for f in a; do", "open"],
      ["echo 'a", "open"],
      ["cat <<X\na", "open"],
      ["a &&", "open"],
      ["done", "wrong"],
      ["echo a)", "wrong"],
      ["( fi", "wrong"],
      ["echo `ls` | cat # x", "whole"],
      ["while read -r a; do echo $a; done < x", "whole"],
      ["if a; then case b in b) c;; esac; fi", "whole"],
      ["! { a; } && (b)", "whole"],
    ] as const) {
      expect(shellEnd(text), text).toBe(end);
      const { status } = spawnSync("sh", ["-n"], { input: text, stdio: ["pipe", "ignore", "ignore"] });
      // A here-document that the end of the file ends is a warning to sh.
      const isHeredoc = text.includes("<<");
      expect(isHeredoc || (status === 0) === (end === "whole"), text).toBe(true);
    }
  });

  it.each([
    ['"a', "open"],
    ['"a\\"', "open"],
    ['"a\\" b"', "whole"],
    ['"$(a" b', "open"],
    ['"$(a)" b', "whole"],
    ['"${a" b', "open"],
    ['"${a}" b', "whole"],
    ['"`a" b', "open"],
    ['"`a`" b', "whole"],
    ["`a $(b)`", "whole"],
    ["`a `b`", "open"],
    ["a `b` }", "whole"],
    ["`a` fi", "whole"],
    ["${a}} fi", "whole"],
    ["$(if a; then b; fi)", "whole"],
    ["$(fi)", "wrong"],
    ["(fi)", "wrong"],
    ["$(a) fi", "whole"],
    ["a; fi", "wrong"],
    ["a & fi", "wrong"],
    ["a\nfi", "wrong"],
    ["a fi", "whole"],
    ["then fi", "wrong"],
    ["else fi", "wrong"],
    ["elif fi", "wrong"],
    ["do fi", "wrong"],
    ["! fi", "wrong"],
    ["time fi", "wrong"],
    ["if fi", "whole"],
    ["while done", "whole"],
    ["until done", "whole"],
    ["{ }", "whole"],
    ["for done", "open"],
    ["select x; do a; done", "whole"],
    ["if a; done", "wrong"],
    ["a |", "open"],
    ["a ||", "open"],
    ["a |&", "open"],
    ["a | b", "whole"],
    ["a && b", "whole"],
    ["a &", "whole"],
    ["a;", "whole"],
    ["a || # b", "open"],
    ["# it's", "whole"],
    ["a # it's", "whole"],
    ["a;# it's", "whole"],
    ["(a)# it's", "open"],
    ["(# it's\na)", "whole"],
    ["a#'", "open"],
    ["a <<< b", "whole"],
    ["a <<<b\nfi", "wrong"],
    ["a <<", "whole"],
    ["a <<b\nb", "whole"],
    ["a <<b\n\tb", "open"],
    ["a <<-b\n\t\tb", "whole"],
    ["a <<-b\n b", "open"],
    ["a << 'b c'\nb c\nd", "whole"],
    ['a <<"b"\nb', "whole"],
    ["a <<\\b\nb", "whole"],
    ["a <<b <<c\nb\nc", "whole"],
    ["a <<b <<c\nc\nb", "open"],
    ["a <<b\nb\nfi", "wrong"],
    ["a <<b\nx\nb\nc '", "open"],
    ["$'a\\'", "open"],
    ["$'a\\'b'", "whole"],
    ["'a\\'", "whole"],
    ["'a'b'", "open"],
    ["a'b'c\"d\"", "whole"],
    ["\\'", "whole"],
    ["\\", "whole"],
    ["case a in b) c;; esac", "whole"],
    ["case a in b) c;;", "open"],
    ["a )", "wrong"],
    ["$(a))", "wrong"],
    ["( a $(b) )", "whole"],
    ["a{b} }", "whole"],
    ["{ a; }", "whole"],
    ["}", "wrong"],
    ["a > b < c", "whole"],
    ["toString", "whole"],
    ["", "whole"],
  ] as const)("[PACKET-77] %j is %s", ROTATING, (text, end) => {
    expect(shellEnd(text)).toBe(end);
  });

  it("[PACKET-77] lines of a console lose their prompt, and what was printed is no command", () => {
    expect(commands("```console\n$ npm test\nok\n$ ls \\\n  src\na.txt\n```\n")).toEqual(["npm test", "ls src"]);
    expect(commands("```\n$HOME/x\n$ y\n```\n")).toEqual(["$HOME/x", "y"]);
  });

  it("[PACKET-77] a line that only changes the shell stands before each later command", () => {
    expect(commands("```\nls\ncd src\nls a.txt\nexport A=1 B\nnpm test | cat\n```\n")).toEqual([
      "ls",
      "cd src || exit; ls a.txt",
      "cd src || exit; export A=1 B || exit; npm test | cat",
    ]);
    expect(commands("```\nA=1 npm test\ncd src && ls\ncd x # y\n```\n")).toEqual([
      "A=1 npm test",
      "cd src && ls",
      "cd x # y",
    ]);
    expect(commands("```\ncd src\n```\n")).toEqual(["cd src"]);
  });

  it("[PACKET-79] the commands of the brief come before those of the manifest", () => {
    expect(acceptanceCommands(somePacket({ override: ["make check"] }))).toEqual(["make check"]);
    expect(acceptanceCommands(somePacket({ manifest: someManifest() }))).toEqual(["npm test"]);
  });

  it("[PACKET-75] [PACKET-77] never throws, says the same of CRLF, and gives no empty text", SWEEP, () => {
    const part = fc.constantFrom(
      "## Updated Context Pack",
      "## Verify Commands",
      "## 0. Goal",
      "## Scope",
      "# x",
      "```",
      "```md",
      "~~~",
      "npm \\",
      "# c",
      "x",
      "",
      "> q",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const found = handOff(parts.join("\n"));
        expect(handOff(parts.join("\r\n"))).toEqual(found);
        expect(found.pack === null || found.pack.trim() !== "").toBe(true);
        for (const command of found.commands ?? ["x"]) expect(command).toMatch(/^\S[^\r]*$/);
      }),
      runsOf(1000),
    );
  });
});
