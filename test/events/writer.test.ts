import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwind, Writer } from "../../src/events/writer.ts";
import type { Note } from "../../src/state/entity.ts";

const note = (id: number): Note => ({ id: `n${id}`, ts: "", by: "human:a", step: null, text: "" });

describe("the record of what an op writes", () => {
  it("[EVENT-4] takes back what a ring was given, and what fell out of it", () => {
    const counts = fc.record({ before: fc.nat(12), given: fc.nat(12), most: fc.integer({ min: 1, max: 8 }) });
    fc.assert(
      fc.property(counts, ({ before, given, most }) => {
        const node = { $: "", notes: [] as Note[] };
        const writer = new Writer();
        for (let i = 0; i < before; i++) writer.ring(node, "notes", note(i), most);
        const kept = [...node.notes];
        const record = writer.begin();
        for (let i = 0; i < given; i++) writer.ring(node, "notes", note(before + i), most);
        const ids = Array.from({ length: before + given }, (_, i) => `n${i}`).slice(-most);
        expect(node.notes.map(({ id }) => id)).toEqual(ids);
        unwind(record);
        expect(node.notes).toEqual(kept);
      }),
    );
  });
});
