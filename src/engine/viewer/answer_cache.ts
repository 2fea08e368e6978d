/** Texts of answers for readers that ask again: the same name and tag is the same answer. */
const MAX_CHARACTERS = 24 * 1024 * 1024;

export class AnswerCache {
  /** The oldest first. */
  readonly #texts = new Map<string, string>();
  readonly #making = new Map<string, Promise<string>>();
  #characters = 0;

  /** Readers who ask at once wait for one text. */
  async get(key: string, make: () => Promise<string>): Promise<string> {
    const known = this.#texts.get(key) ?? this.#making.get(key);
    if (known !== undefined) return known;
    const making = make()
      .then((body) => this.#keep(key, body))
      .finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  #keep(key: string, body: string): string {
    this.#texts.set(key, body);
    this.#characters += body.length;
    for (const [oldest, text] of this.#texts) {
      if (this.#characters <= MAX_CHARACTERS) break;
      this.#texts.delete(oldest);
      this.#characters -= text.length;
    }
    return body;
  }
}
