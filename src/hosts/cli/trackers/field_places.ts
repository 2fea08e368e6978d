/** Fields of another tracker that nothing here is like: where each of them stands after an import, and of how many items. */
import { counted } from "../../../state/counted.ts";
import type { TrackerItem } from "./item.ts";
import { listed } from "./left_out.ts";

/** `part`: a text that is cut. */
const PLACES = ["description", "part", "nowhere"] as const;

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

  /** `cut`: names of its texts of which a part is left out. */
  add({ unplaced, skipped }: TrackerItem, cut: readonly string[]): void {
    this.#count(unplaced, "description", 1);
    this.#count(cut, "part", 1);
    this.#count(skipped, "nowhere", 1);
  }

  all(): FieldPlace[] {
    return [...this.#known.values()];
  }

  #count(fields: readonly string[], place: FieldPlace["place"], items: number): void {
    for (const field of new Set(fields)) {
      const key = `${place} ${field}`;
      const before = this.#known.get(key)?.items ?? 0;
      this.#known.set(key, { field, place, items: before + items });
    }
  }
}

const SAID: Record<FieldPlace["place"], readonly [one: string, many: string]> = {
  description: [
    "field has no place here and stands in the description",
    "fields have no place here and stand in the description",
  ],
  part: ["text too long, and cut", "texts too long, and cut"],
  nowhere: ["field left out", "fields left out"],
};

/** `2 fields left out: urgency, imask`. */
export function fieldsSaid(fields: readonly FieldPlace[]): string[] {
  return PLACES.flatMap((place) => {
    const names = fields.filter((one) => one.place === place).map(({ field }) => field);
    return names.length === 0 ? [] : [`${counted(names.length, ...SAID[place])}: ${listed(names)}`];
  });
}
