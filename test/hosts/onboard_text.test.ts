/** The edits of `onboard` as texts: what is added can be taken out again, byte for byte. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Addition } from "../../src/hosts/onboard/json_text.ts";
import { addJson, removeJson } from "../../src/hosts/onboard/json_text.ts";
import type { JsonValue } from "../../src/hosts/onboard/json_tree.ts";
import { parseTree, valueOf } from "../../src/hosts/onboard/json_tree.ts";
import { isInFence } from "../../src/hosts/onboard/fence.ts";
import { addSection, removeSection } from "../../src/hosts/onboard/marked_section.ts";
import { definedNames } from "../../src/hosts/onboard/toml_text.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const SERVER: Addition = {
  path: ["mcpServers"],
  key: "taskfold",
  value: { command: "npx", args: ["taskfold", "mcp"] },
};
const HOOK: Addition = { path: ["hooks", "SessionStart"], value: { hooks: [{ type: "command", command: "x" }] } };

function textOf(changed: ReturnType<typeof addJson>): string {
  if (changed === "same" || changed === "other" || changed.text === undefined) throw new Error(JSON.stringify(changed));
  return changed.text;
}

/** Takes out what was added, in the other order, as `onboard --remove` does. */
function there(text: string, additions: readonly Addition[]): string {
  return additions.reduce((before, one) => textOf(addJson(before, one)), text);
}

function back(text: string, additions: readonly Addition[]): string | undefined {
  let now: string | undefined = text;
  for (const one of additions.toReversed()) {
    const changed = removeJson(now!, one);
    if (changed === "same" || changed === "other") throw new Error(changed);
    now = changed.text;
  }
  return now;
}

interface Style {
  newline: string;
  indent: string;
  trailing: boolean;
  /** Nothing but spaces between the parts. */
  flat: boolean;
  comments: readonly string[];
}

/** JSON as a person may have written it. */
function written(value: JsonValue, style: Style, depth = 0): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const parts = isList
    ? value.map((one) => written(one, style, depth + 1))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${written(one, style, depth + 1)}`);
  const inner = style.newline + style.indent.repeat(depth + 1);
  const outer = style.newline + style.indent.repeat(depth);
  const comment = style.comments[(depth + parts.length) % Math.max(style.comments.length, 1)] ?? "";
  if (style.flat) return `${open}${parts.join(",")}${style.trailing && parts.length > 0 ? "," : ""}${close}`;
  if (parts.length === 0) return `${open}${comment === "" ? "" : ` ${comment}${outer}`}${close}`;
  const lines = parts.map((part, i) =>
    `${part}${i < parts.length - 1 || style.trailing ? "," : ""} ${comment}`.trimEnd(),
  );
  return `${open}${inner}${lines.join(inner)}${outer}${close}`;
}

const styles: fc.Arbitrary<Style> = fc.record({
  newline: fc.constantFrom("\n", "\r\n"),
  indent: fc.constantFrom("  ", "    ", "\t", ""),
  trailing: fc.boolean(),
  flat: fc.boolean(),
  comments: fc.subarray(["// of a person", "/* one, two } */", '// "quoted": {'], { minLength: 0 }),
});
const values = fc.jsonValue({ maxDepth: 3, noUnicodeString: false }) as fc.Arbitrary<JsonValue>;
const others = fc.dictionary(fc.string(), values, { maxKeys: 3 });
const documents = fc
  .record({
    around: others,
    servers: fc.option(others, { nil: undefined }),
    hooks: fc.option(fc.record({ SessionStart: fc.option(fc.array(values, { maxLength: 2 }), { nil: undefined }) }), {
      nil: undefined,
    }),
    isFirst: fc.boolean(),
  })
  .map(({ around, servers, hooks, isFirst }) => {
    const { mcpServers: _m, hooks: _h, ["__proto__"]: _p, ...rest } = around;
    const { taskfold: _t, ["__proto__"]: _q, ...named } = servers ?? {};
    const own = {
      ...(servers ? { mcpServers: named } : {}),
      ...(hooks ? { hooks: hooks.SessionStart ? { SessionStart: hooks.SessionStart } : {} } : {}),
    };
    return (isFirst ? { ...own, ...rest } : { ...rest, ...own }) as { [key: string]: JsonValue };
  });

describe("JSON of a client", () => {
  it(
    "[ONBOARD-4] [ONBOARD-6] keeps every other byte, comments and line breaks too, and comes back as it was",
    SWEEP,
    () => {
      fc.assert(
        fc.property(
          documents,
          styles,
          fc.constantFrom("", "\uFEFF", "// head\n"),
          fc.constantFrom("", "\n"),
          (doc, style, head, tail) => {
            const text = head + written(doc, style) + tail;
            const added = there(text, [SERVER, HOOK]);
            const now = valueOf(parseTree(added)) as { mcpServers: object; hooks: { SessionStart: JsonValue[] } };
            expect(now).toMatchObject({
              ...(JSON.parse(JSON.stringify(doc)) as object),
              mcpServers: { taskfold: SERVER.value },
              hooks: {},
            });
            expect(now.hooks.SessionStart.at(-1)).toEqual(HOOK.value);
            for (const one of [SERVER, HOOK]) expect(addJson(added, one)).toBe("same");
            expect(back(added, [SERVER, HOOK])).toBe(text);
          },
        ),
        runsOf(500),
      );
    },
  );

  it("[ONBOARD-6] a file that was made for it goes; a list or object that was there and empty stays", () => {
    const made = textOf(addJson(undefined, SERVER));
    expect(JSON.parse(made)).toEqual({ mcpServers: { taskfold: SERVER.value } });
    expect(removeJson(made, SERVER)).toEqual({ text: undefined });
    for (const text of [
      "{}",
      "{ }\n",
      '{"mcpServers":{}}',
      '{\n  "mcpServers": {\n  }\n}\n',
      "{ // none\n}",
      '{"a":1,}',
    ])
      expect(back(there(text, [SERVER]), [SERVER]), text).toBe(text);
    for (const text of [
      '{"hooks":{}}',
      '{"hooks":{"SessionStart":[]}}',
      '{\n  "hooks": {\n    "SessionStart": [ ]\n  }\n}',
    ])
      expect(back(there(text, [HOOK]), [HOOK]), text).toBe(text);
  });

  it("[ONBOARD-6] what came after it stays", () => {
    const added = there('{\n  "mcpServers": {\n    "a": {}\n  }\n}\n', [SERVER]);
    const more = added.replace(/\n {2}\}\n\}\n$/, ',\n    "b": {}\n  }\n}\n');
    expect(back(more, [SERVER])).toBe('{\n  "mcpServers": {\n    "a": {},\n    "b": {}\n  }\n}\n');
  });

  it("[ONBOARD-4] an entry of that name that a person wrote or changed is not touched", () => {
    const theirs = '{"mcpServers":{"taskfold":{"command":"other"}}}';
    expect(addJson(theirs, SERVER)).toBe("other");
    expect(removeJson(theirs, SERVER)).toBe("other");
    expect(removeJson('{"mcpServers":{}}', SERVER)).toBe("same");
    expect(removeJson('{"hooks":{"SessionStart":[{"hooks":[]}]}}', HOOK)).toBe("same");
  });

  it.each([
    "",
    "{",
    '{"a":1 "b":2}',
    "{'a':1}",
    '{"a":01}',
    '{"a":"\n"}',
    '{"a":1}}',
    "{/*",
    "[]",
    '{"mcpServers":[]}',
    '{"mcpServers":{},"mcpServers":{}}',
    "[".repeat(200),
  ])("[ONBOARD-7] %j is refused", (text) => {
    expect(() => addJson(text, SERVER)).toThrow(/^expected /);
  });
});

const MARKS = { begin: "# taskfold:begin", end: "# taskfold:end" };

describe("a section between marks", () => {
  it("[ONBOARD-4] [ONBOARD-6] is added at the end and leaves the text as it was", () => {
    const lines = fc.array(fc.constantFrom("", "a", "## b", " ", "é"), { maxLength: 6 });
    fc.assert(
      fc.property(lines, fc.constantFrom("\n", "\r\n"), fc.boolean(), (some, newline, isEnded) => {
        const text = some.join(newline) + (isEnded ? newline : "");
        const added = textOf(addSection(text, "one\ntwo", MARKS));
        expect(added.startsWith(text)).toBe(true);
        expect(added.includes("\r\n") && /(?<!\r)\n/.test(added)).toBe(false);
        expect(addSection(added, "one\ntwo", MARKS)).toBe("same");
        expect(removeSection(added, MARKS)).toEqual({ text });
        const newer = textOf(addSection(added, "three", MARKS));
        expect(removeSection(newer, MARKS)).toEqual({ text });
      }),
    );
    expect(removeSection(textOf(addSection(undefined, "one", MARKS)), MARKS)).toEqual({ text: undefined });
    const more = `${textOf(addSection("a\n", "one", MARKS))}b\n`;
    expect(removeSection(more, MARKS)).toEqual({ text: "a\nb\n" });
  });

  it("[ONBOARD-4] marks in fenced code of Markdown are text of a person", () => {
    const marks = { ...MARKS, isQuoted: isInFence };
    for (const fence of ["```", "~~~~"]) {
      const text = `a\n\n${fence}md\n${MARKS.begin}\nkeep me\n${MARKS.end}\n${fence}\nb\n`;
      const added = textOf(addSection(text, "one", marks));
      expect(added).toBe(`${text}\n${MARKS.begin}\none\n${MARKS.end}\n`);
      expect(addSection(added, "one", marks)).toBe("same");
      expect(removeSection(added, marks)).toEqual({ text });
      // A fence that stays open hides no section.
      const open = `a\n${fence}\nb\n`;
      const below = textOf(addSection(open, "one", marks));
      expect(removeSection(below, marks)).toEqual({ text: open });
    }
  });

  it("[ONBOARD-7] marks that are no pair are refused", () => {
    for (const text of [
      MARKS.begin,
      MARKS.end,
      `${MARKS.end}\n${MARKS.begin}\n`,
      `${MARKS.begin}\n${MARKS.begin}\n${MARKS.end}`,
    ])
      expect(() => addSection(text, "one", MARKS), text).toThrow(/Expected one line/);
    expect(addSection(`in a line: ${MARKS.begin}`, "one", MARKS)).toMatchObject({ text: expect.any(String) as string });
  });
});

describe("TOML of a client", () => {
  it("[ONBOARD-4] every name that a file defines is known", () => {
    const text = [
      'model = "gpt" # a comment',
      "[mcp_servers . 'a.b'.\"taskfold\"]",
      'args = ["x", # one',
      "  'y', [1, 2.5e3], { k.l = true, m = 1979-05-27 07:32:00Z },",
      "]",
      'text = """',
      '[no.table] """',
      "raw = '''",
      "[neither]'''",
      "[[list]]",
      "key.inner = inf",
      "",
    ].join("\r\n");
    expect(definedNames(text)).toEqual([
      ["model"],
      ["mcp_servers", "a.b", "taskfold"],
      ["mcp_servers", "a.b", "taskfold", "args"],
      ["mcp_servers", "a.b", "taskfold", "text"],
      ["mcp_servers", "a.b", "taskfold", "raw"],
      ["list"],
      ["list", "key", "inner"],
    ]);
  });

  it.each([
    "a",
    "a = ",
    "[a",
    "[a]]",
    'a = "x',
    "a = [1",
    "a = { b }",
    "a = 1 b = 2",
    'a = """x',
    "= 1",
    `a = ${"[".repeat(200)}`,
  ])("[ONBOARD-7] %j is refused", (text) => {
    expect(() => definedNames(text)).toThrow(/^expected /);
  });
});
