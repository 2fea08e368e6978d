/** Which rows a key may have chosen, by the digest of the key, so that a repeated call looks at those alone (ENG-82). */
import type { Listed } from "../../state/listed.ts";
import { FOREIGN_ROOT } from "../../state/foreign_entity.ts";
import { IdGroups } from "../../state/id_groups.ts";

export class ClaimKeys {
  readonly #ids = new IdGroups();
  /** Rows of which only the log tells that. */
  readonly #onlyInLog = new Set<string>();

  constructor(rows: Iterable<Listed>) {
    for (const row of rows) this.set(row, undefined);
  }

  set(row: Listed, before: Listed | undefined): void {
    if (before) this.delete(before);
    if (row.chosen_by === undefined && !row.root.startsWith(FOREIGN_ROOT)) this.#onlyInLog.add(row.id);
    for (const digest of row.chosen_by ?? []) this.#ids.add(digest, row.id);
  }

  delete({ id, chosen_by }: Listed): void {
    this.#onlyInLog.delete(id);
    for (const digest of chosen_by ?? []) this.#ids.delete(digest, id);
  }

  get onlyInLog(): readonly string[] {
    return [...this.#onlyInLog];
  }

  with(digest: string): readonly string[] {
    return [...this.#ids.of(digest)];
  }
}
