/** Random lives of an entity, for laws that hold in every state. */
import fc from "fast-check";
import type { Draft } from "../../src/events/define.ts";
import { ANY_CHARACTER } from "./any_character.ts";
import {
  addSteps,
  block,
  capture,
  card,
  close,
  command,
  complete,
  define,
  edit,
  note,
  remove,
  reopen,
  replace,
  status,
  Story,
  trace,
  unblock,
  verify,
} from "./story.ts";

/** What people and machines write: words, Unicode, and text that means something to a format. */
export const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    "# heading",
    "- item",
    "</details><script>alert(1)</script>",
    "[x](javascript:alert(1)) ![](https://e.x/y.png)",
    "```\ncode\n```",
    "a | b\n--|--\n1 | 2",
    "\u202Etxt.exe",
    "line one\nline two\r\n\r\n> quoted\n1. one\n---",
    "0o17",
    "null",
    "yes: no # comment",
    "",
  ),
);

export const anyTitle = anyText
  .map((text) =>
    Array.from(text)
      .filter((c) => c >= " ")
      .slice(0, 200)
      .join(""),
  )
  .filter((t) => t.trim() !== "");

const step = fc.nat({ max: 7 });
const flag = fc.boolean();

/** Names of sections, two of which differ in case alone; and one that no call could give. */
export const anySection = fc.constantFrom(
  "goals",
  "constraints",
  "progress",
  "bearinmind/contracts",
  "bearinmind/risks",
  "ux/list",
  "UX/list",
  "api.v2/errors",
  "../escape",
);

const anyChange = fc.oneof<fc.Arbitrary<Draft[]>[]>(
  fc
    .record({ title: anyTitle, parent: fc.option(step), n: fc.nat({ max: 40 }) })
    .map((r) => [addSteps(r.n, [r.title], r.parent)]),
  fc.record({ n: step, criteria: flag, tests: flag }).map(({ n, ...marks }) => [verify(n, marks)]),
  step.map((n): Draft[] => [verify(n, { criteria: true, tests: true }), close(n)]),
  fc.record({ n: step, reason: anyText }).map((r) => [verify(r.n), close(r.n, { forced: r.reason })]),
  fc.record({ n: step, reason: fc.option(anyText) }).map((r) => block(r.n, r.reason)),
  step.map(unblock),
  step.map((n) => [remove(n)]),
  fc.record({ n: step, reason: anyText }).map((r) => [reopen(r.n, r.reason)]),
  fc
    .record({ n: step, title: anyTitle, blockers: fc.array(anyText, { maxLength: 2 }) })
    .map(({ n, ...f }) => [define(n, f)]),
  fc.record({ text: anyText, n: fc.option(step) }).map((r) => [note(r.text, r.n)]),
  fc.record({ title: anyTitle, description: anyText, context: fc.option(anyText) }).map((patch) => [edit(patch)]),
  fc.record({ name: anySection, content: anyText }).map((r) => [replace(r.name, r.content)]),
  fc
    .record({
      n: fc.nat({ max: 60 }),
      stage: fc.constantFrom("frame", "hypothesis", "decision"),
      title: anyTitle,
      text: anyText,
      supports: fc.array(fc.nat({ max: 60 }), { maxLength: 2 }),
    })
    .map((r) => [card(r.n, r.stage, r.title, r.supports, r.text)]),
  anyText.map((text) => [trace(text)]),
  fc.constant([complete()]),
  fc.constantFrom("TODO", "ACTIVE", "FAILED", "CANCELED").map((word) => [status(word, "so it is")]),
  fc
    .record({
      n: fc.option(step),
      title: anyTitle,
      counts: flag,
      checkpoint: fc.constantFrom("tests", "security", "docs"),
    })
    .map((r) => [capture(r.n, [r.checkpoint], [command(r.title, { counts: r.counts })])]),
);

/** A task with eight steps in two levels, then up to thirty changes, some of them made apart. */
export const anyStory: fc.Arbitrary<Story> = fc
  .record({
    title: anyTitle,
    description: anyText,
    changes: fc.array(fc.tuple(anyChange, fc.option(anyChange)), { maxLength: 30 }),
  })
  .map(({ title, description, changes }) => {
    const story = new Story({ title, description });
    story.do(
      addSteps(0, ["zero", "one", "two", "three"]),
      addSteps(4, ["four", "five"], 1),
      addSteps(6, ["six", "seven"], 4),
    );
    for (const [one, other] of changes) {
      if (other === null) story.do(...one);
      else story.apart(one, other);
    }
    return story;
  });
