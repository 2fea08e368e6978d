/** Moments as people write them on the command line. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { TaskfoldError } from "../../src/errors.ts";
import { run } from "./cli_support.ts";
import { tempFolder } from "../support/temp.ts";
import { momentOf, when, whenOrCursor } from "../../src/hosts/cli/command/when.ts";

/** A Saturday, 11:15 in Berlin. */
const NOW = new Date("2026-11-28T10:15:00.000Z");

beforeEach(() => void vi.stubEnv("TZ", "Europe/Berlin"));

function refusal(run: () => string): TaskfoldError {
  try {
    throw new Error(`expected a refusal, found ${run()}`);
  } catch (e) {
    return e as TaskfoldError;
  }
}

describe("a moment", () => {
  it.each([
    ["now", "2026-11-28T10:15"],
    ["2h", "2026-11-28T08:15"],
    ["90 min", "2026-11-28T08:45"],
    ["3 days ago", "2026-11-25T10:15"],
    ["1w", "2026-11-21T10:15"],
    // Clocks changed on 25 October: the hour of the day stays.
    ["5 weeks", "2026-10-24T09:15"],
    ["today", "2026-11-27T23:00"],
    ["Yesterday", "2026-11-26T23:00"],
    ["yesterday 14:30", "2026-11-27T13:30"],
    ["9:00", "2026-11-28T08:00"],
    ["23:00", "2026-11-27T22:00"],
    ["monday", "2026-11-22T23:00"],
    ["mon  9:00", "2026-11-23T08:00"],
    ["sat", "2026-11-27T23:00"],
    ["sat 9:00", "2026-11-28T08:00"],
    ["sat 12:00", "2026-11-21T11:00"],
    ["thurs", "2026-11-25T23:00"],
    ["24 nov", "2026-11-23T23:00"],
    ["Nov 24", "2026-11-23T23:00"],
    ["24. November 2025", "2025-11-23T23:00"],
    ["24 dec", "2025-12-23T23:00"],
    ["29 feb", "2024-02-28T23:00"],
    ["24 nov 9:30", "2026-11-24T08:30"],
    ["2026-01-31", "2026-01-30T23:00"],
    ["2026-01-31 9:00", "2026-01-31T08:00"],
    ["2026-01-31T09:00:00Z", "2026-01-31T09:00"],
    ["2026-01-31T09:00:00+05:30", "2026-01-31T03:30"],
  ])("[CLI-270] %s", (text, minute) => {
    expect(momentOf(text, NOW)).toBe(`${minute}:00.000Z`);
  });

  it("[CLI-270] what is none is refused with forms that are, and each of these forms is one", () => {
    for (const text of [
      "",
      " ",
      "tomorrow",
      "mnday",
      "mon mon",
      "25:00",
      "30 feb",
      "2026-02-30",
      "2026-02-30T00:00:00Z",
      "9999999d",
      "999999w",
    ]) {
      expect([text, momentOf(text, NOW)]).toEqual([text, undefined]);
      const { code, message } = refusal(() => when(text));
      expect(code).toBe("INVALID_INPUT");
      const forms = message
        .replace(/^.*such as /, "")
        .replace(/\.$/, "")
        .split(/, | or /);
      expect(forms.length).toBeGreaterThan(6);
      for (const form of forms)
        expect([form, momentOf(form.replaceAll('"', ""), NOW)]).toEqual([form, expect.stringMatching(/Z$/)]);
    }
  });

  it("[CLI-270] a cursor and an id of an event stay as they are where one may stand", () => {
    const cursor = Buffer.from("[1,[],[]]").toString("base64url");
    for (const text of [cursor, "a".repeat(22), "b".repeat(43)]) expect(whenOrCursor(text)).toBe(text);
    expect(refusal(() => whenOrCursor("mnday")).message).toContain("a cursor, or a time");
    for (const parse of [when, whenOrCursor]) expect(refusal(() => parse("visit")).code).toBe("INVALID_INPUT");
  });
});

describe("commands about the past", () => {
  it("[CLI-270] take a moment as a person writes it, and refuse what is none", async () => {
    const cwd = tempFolder();
    const program = (...argv: string[]) => run({ cwd }, ...argv);
    for (const argv of [
      ["init", "--workspace", "acme/repo"],
      ["add", "First"],
    ])
      expect((await program(...argv)).code).toBe(0);
    const isThere = async (...argv: string[]): Promise<boolean> => (await program(...argv)).out.includes("TASK-001");
    for (const command of ["history", "delta"]) {
      expect(await isThere(command, "--since", "yesterday")).toBe(true);
      expect(await isThere(command, "--since", "2100-01-01 9:00")).toBe(false);
    }
    expect(await isThere("history", "--until", "yesterday")).toBe(false);
    expect((await program("log", "TASK-001", "--since", "2h")).out).toContain("task_created");
    expect((await program("log", "TASK-001", "--since", "2100-01-01 9:00")).out).not.toContain("task_created");
    expect((await program("status", "--since", "yesterday")).out).toContain("Happened");
    expect((await program("status", "--since", "2100-01-01 9:00")).out).not.toContain("Happened");
    expect((await program("status", "--since", "visit")).code).toBe(0);
    for (const command of ["history", "delta", "log", "status"])
      expect(await program(command, "--since", "mnday")).toMatchObject({
        code: 2,
        err: expect.stringContaining("mon 9:00") as string,
      });
  });
});
