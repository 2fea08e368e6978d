/** Ids by a key that several of them may have. */
export class IdGroups {
  readonly #ids = new Map<string, Set<string>>();

  add(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids) ids.add(id);
    else this.#ids.set(key, new Set([id]));
  }

  delete(key: string, id: string): void {
    const ids = this.#ids.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(key);
  }

  /** In the order in which they were added. */
  of(key: string): ReadonlySet<string> {
    return this.#ids.get(key) ?? NONE;
  }
}

const NONE: ReadonlySet<string> = new Set();
