/** Which rows a key may have chosen, by the digest of the key, so that a repeated call looks at those alone (ENG-82). */
import type { Listed } from "../../state/listed.ts";
import { FOREIGN_ROOT } from "../../state/foreign_entity.ts";

export class ClaimKeys {
  readonly #ids = new Map<string, Set<string>>();
  /** Rows of which only the log tells that. */
  readonly #untold = new Set<string>();

  constructor(rows: Iterable<Listed>) {
    for (const row of rows) this.set(row, undefined);
  }

  set(row: Listed, before: Listed | undefined): void {
    if (before) this.delete(before);
    if (row.chosen_by === undefined && !row.root.startsWith(FOREIGN_ROOT)) this.#untold.add(row.id);
    for (const digest of row.chosen_by ?? []) this.#ids.set(digest, (this.#ids.get(digest) ?? new Set()).add(row.id));
  }

  delete({ id, chosen_by }: Listed): void {
    this.#untold.delete(id);
    for (const digest of chosen_by ?? []) {
      const ids = this.#ids.get(digest);
      ids?.delete(id);
      if (ids?.size === 0) this.#ids.delete(digest);
    }
  }

  get untold(): readonly string[] {
    return [...this.#untold];
  }

  with(digest: string): readonly string[] {
    return [...(this.#ids.get(digest) ?? [])];
  }
}
