import fc from "fast-check";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HEAD_BYTES, readTaskHead } from "../../src/projections/index.ts";
import { taskYaml } from "../../src/projections/task_yaml.ts";
import { listedOf } from "../../src/state/listed.ts";
import { anyStory } from "../support/random_story.ts";
import * as t from "../support/story.ts";
import { Story } from "../support/story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** The last line of the head up to its checksum, and the rest of the file behind that. */
const HEAD = /^(head: \[.*, )"[^"]*"\]\n/m;

/** As `text`, with the checksum that its head has to have. */
function signed(text: string): Buffer {
  const found = HEAD.exec(text)!;
  const head = text.slice(0, found.index) + found[1]!;
  const rest = text.slice(found.index + found[0].length);
  return Buffer.from(`${head}"${crc32(head).toString(16).padStart(8, "0")}"]\n${rest}`);
}

describe("the head of task.yaml", () => {
  it("[PROJ-18] tells what a list says, and the length of the log", SWEEP, () => {
    fc.assert(
      fc.property(anyStory, ({ subject }) => {
        expect(readTaskHead(Buffer.from(taskYaml(subject)))).toEqual({
          listed: listedOf(subject),
          head: subject.head,
          logBytes: subject.bytes,
        });
      }),
      runsOf(300),
    );
  });

  it("[PROJ-18] names parent and dependencies with their roots, and a title may look like its end", () => {
    const ref = { id: "PLAN-007", root: "r".repeat(43) };
    const story = new Story({ title: `x\nhead: ["${"h".repeat(43)}", 5, "12345678"]\n` }).do(
      t.edit({ depends_on: [ref], tags: ['"', "\\"] }),
    );
    story.entity.parent = ref;
    expect(readTaskHead(Buffer.from(taskYaml(story.subject)))?.listed).toEqual(listedOf(story.subject));
  });

  it("[PROJ-18] says of what is archived that it is deleted, until it is restored", () => {
    const told = (type: string) => ({ type, payload: { message: "m" } });
    const story = new Story().do(told("task.archived"));
    const deleted = () => /^deleted: (.*)$/m.exec(taskYaml(story.subject))![1];
    expect(deleted()).toBe("true");
    story.do(told("task.restored"));
    expect(deleted()).toBe("false");
  });

  it("[PROJ-18] is no head with any byte of it changed, left out or added", () => {
    const file = Buffer.from(taskYaml(new Story({ title: "Löschen" }).subject));
    const end = file.indexOf("\n", file.indexOf("\nhead: ") + 1) + 1;
    const whole = readTaskHead(file);
    expect(whole).toBeDefined();
    for (let at = 0; at < end; at++) {
      const changed = Buffer.from(file);
      changed[at]! ^= 1;
      expect(readTaskHead(changed), `${at} changed`).toBeUndefined();
      expect(readTaskHead(file.subarray(0, at)), `cut at ${at}`).toBeUndefined();
      const without = Buffer.concat([file.subarray(0, at), file.subarray(at + 1)]);
      expect(readTaskHead(without), `${at} left out`).toBeUndefined();
    }
    expect(readTaskHead(Buffer.concat([Buffer.from(" "), file]))).toBeUndefined();
    expect(readTaskHead(file.subarray(0, end))).toEqual(whole);
  });

  it("[PROJ-18] with a checksum that somebody made to fit is what a writer could have written, or no head", () => {
    const text = taskYaml(new Story().subject);
    expect(readTaskHead(signed(text))).toEqual(readTaskHead(Buffer.from(text)));
    const forged: [from: RegExp, to: string][] = [
      [/^renderer: 10$/m, "renderer: 11"],
      [/^status: .*$/m, 'status: "FINE"'],
      [/^kind: .*$/m, "kind: null"],
      [/^tags: .*$/m, "tags: [1]"],
      [/^tags: .*$/m, "tags: 5"],
      [/^tags: .*$/m, "tags: ["],
      [/^revision: .*$/m, "revision: -1"],
      [/^(head: \["[^"]*"), \d+/m, '$1, "1"'],
      [/^head: \["/m, 'head: ["*'],
      [/^parentRoot: .*$/m, 'parentRoot: "x"'],
      [/^dependsOn: .*$/m, 'dependsOn: ["x"]'],
      [/^deleted: .*$/m, "deleted: no"],
      [/^title: .*$/m, "title: Bare"],
      [/^title: .*$/m, 'title: "\\x"'],
      [/^kind: .*\n/m, ""],
      [/^(status: .*\n)(revision: .*\n)/m, "$2$1"],
      [/^renderer: .*\n/m, "$&more: 1\n"],
    ];
    for (const [from, to] of forged) {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      expect(readTaskHead(signed(changed)), to).toBeUndefined();
    }
  });

  it("[PROJ-18] is as a rule within what is read of the file, and none when it is longer", () => {
    const story = new Story({ title: "x".repeat(200) });
    expect(readTaskHead(Buffer.from(taskYaml(story.subject)).subarray(0, HEAD_BYTES))).toBeDefined();
    story.entity.tags = Array.from({ length: 200 }, (_, i) => `a tag of some length ${i}`);
    expect(readTaskHead(Buffer.from(taskYaml(story.subject)).subarray(0, HEAD_BYTES))).toBeUndefined();
  });
});
