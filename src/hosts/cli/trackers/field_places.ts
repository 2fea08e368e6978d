/** Fields of another tracker that nothing here is like: where each of them stands after an import, and of how many items. */
import { counted } from "../../../state/counted.ts";
import type { TrackerItem } from "./item.ts";
import { listed } from "./left_out.ts";

/** `notes`: a text that is too long for a description stands whole in several notes. */
const PLACES = ["description", "notes", "nowhere"] as const;

export interface FieldPlace {
  field: string;
  place: (typeof PLACES)[number];
  /** None where it is a field of the file. */
  items: number;
}

export class FieldPlaces {
  readonly #known = new Map<string, FieldPlace>();

  constructor(ofTheFile: readonly string[]) {
    this.#count(ofTheFile, "nowhere", 0);
  }

  /** `inNotes`: fields whose text stands in notes. */
  add({ unplaced, skipped }: TrackerItem, inNotes: readonly string[]): void {
    const away = new Set(inNotes);
    this.#count(
      unplaced.filter((field) => !away.has(field)),
      "description",
      1,
    );
    this.#count(inNotes, "notes", 1);
    this.#count(skipped, "nowhere", 1);
  }

  all(): FieldPlace[] {
    // Settings of a whole file are many, and say less than a field of an item.
    return [...this.#known.values()].toSorted((a, b) => Number(a.items === 0) - Number(b.items === 0));
  }

  #count(fields: readonly string[], place: FieldPlace["place"], items: number): void {
    for (const field of new Set(fields)) {
      const key = `${place} ${field}`;
      const before = this.#known.get(key)?.items ?? 0;
      this.#known.set(key, { field, place, items: before + items });
    }
  }
}

const PLACE_PHRASES: Record<FieldPlace["place"], readonly [one: string, many: string]> = {
  description: [
    "field has no place here and stands in the description",
    "fields have no place here and stand in the description",
  ],
  notes: ["text too long for a description stands in notes", "texts too long for a description stand in notes"],
  nowhere: ["field left out", "fields left out"],
};

/** `2 fields left out: urgency, imask`. */
export function fieldSentences(fields: readonly FieldPlace[]): string[] {
  return PLACES.flatMap((place) => {
    const names = fields.filter((one) => one.place === place).map(({ field }) => field);
    return names.length === 0 ? [] : [`${counted(names.length, ...PLACE_PHRASES[place])}: ${listed(names)}`];
  });
}
