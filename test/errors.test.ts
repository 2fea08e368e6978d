import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { errorReply } from "../src/engine/entity/reply.ts";
import { ERROR_CODES, isTaskfoldError, TaskfoldError, WARNING_CODES } from "../src/errors.ts";
import { messageOf, messageParts, namedTime, worded } from "../src/message.ts";
import { remedy, remedyOf, TASKFOLD } from "../src/remedy.ts";

const page = readFileSync(new URL("../spec/errors.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| ([A-Z_]+) \| (\d+) \| (.+) \|$/gm)].map((m) => [m[1], Number(m[2])] as const);

describe("errors", () => {
  it("[ERR-3] the page lists every code with its exit code, in the order of the source", () => {
    expect(rows).toEqual(Object.entries(ERROR_CODES));
  });

  it("[ERR-3] an error knows the exit code of its code", () => {
    for (const [code, exit] of rows) expect(new TaskfoldError(code as keyof typeof ERROR_CODES, "m").exit).toBe(exit);
  });

  it("[ERR-1] code, message, recovery and suggestions come through to the reply", () => {
    const suggestion = { tool: "tasks_context", args: { workspace: "a" }, reason: "look" };
    const reply = errorReply(
      "tasks_note",
      new TaskfoldError("UNKNOWN_ID", "Expected a, found b.", {
        recovery: "Look.",
        suggestions: [suggestion],
        details: { id: "b" },
      }),
    );
    expect(reply).toEqual({
      success: false,
      intent: "tasks_note",
      result: null,
      warnings: [],
      suggestions: [suggestion],
      error: { code: "UNKNOWN_ID", message: "Expected a, found b.", recovery: "Look.", details: { id: "b" } },
    });
  });

  it("[regression ERR-28] an error in JSON has its sentence, and neither its cause nor its stack", () => {
    const error = new TaskfoldError("UNKNOWN_ID", "Expected a, found b.", {
      details: { id: "b" },
      cause: new Error("c"),
    });
    expect(JSON.parse(JSON.stringify({ why: error }))).toEqual({
      why: {
        name: "TaskfoldError",
        code: "UNKNOWN_ID",
        message: "Expected a, found b.",
        suggestions: [],
        details: { id: "b" },
      },
    });
  });

  it("[regression ERR-28] an error that Node prints has its sentence, and not the parts of it", () => {
    const told = remedy`${TASKFOLD} verify shows all of it.`;
    for (const more of [told, {}]) expect(inspect(new TaskfoldError("UNKNOWN_ID", "m", more))).not.toContain("Symbol");
    expect(remedyOf(new TaskfoldError("UNKNOWN_ID", "m", told))).toEqual(told);
  });

  it("[regression ERR-29] a time in a message is a part of it, to the second in its words, also where another message repeats it", () => {
    const time = "2026-11-28T11:58:30.123Z";
    const error = new TaskfoldError(
      "ALREADY_DONE",
      worded`Expected an open step; ${3} was closed at ${namedTime(time)}.`,
    );
    expect(error.message).toBe("Expected an open step; 3 was closed at 2026-11-28T11:58:30Z.");
    expect(inspect(error)).not.toContain("Symbol");
    const replied = errorReply("tasks_done", error).error!;
    const thrown = new TaskfoldError(replied.code, messageOf(replied));
    for (const from of [error, replied, thrown, worded`Part 2: ${error}`])
      expect(messageParts(from)).toContainEqual({ time, text: "2026-11-28T11:58:30Z" });
    expect(messageParts({ ...replied, message: "cut" })).toEqual(["cut"]);
    expect(JSON.parse(JSON.stringify(replied))).toEqual({ code: "ALREADY_DONE", message: error.message });
  });

  it("[ERR-1] the text of an error nobody foresaw does not reach the caller", () => {
    const reply = errorReply("tasks_note", new Error("ENOENT: /home/ada/secret"));
    expect(reply.error?.code).toBe("INTERNAL");
    expect(JSON.stringify(reply)).not.toContain("secret");
  });

  it("[ERR-1] errors of another copy of the package are known by name", () => {
    const other = Object.assign(new Error("m"), { name: "TaskfoldError", code: "UNKNOWN_ID" });
    expect([isTaskfoldError(other), isTaskfoldError(new Error("m")), isTaskfoldError("m")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("[ERR-1] every warning has a sentence", () => {
    for (const sentence of Object.values(WARNING_CODES)) expect(sentence).toMatch(/^[a-z].{15,}$/);
  });
});
