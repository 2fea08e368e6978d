/** Texts of answers for readers that ask again: the same name and tag is the same answer. */
import { sha256 } from "../../log/canonical.ts";

const MAX_CHARACTERS = 24 * 1024 * 1024;

/** An answer whose text is made when it is wanted: the tag tells whether the caller has it already. */
export interface Answered {
  /** The same for the same answer, in quotes, as HTTP has it. */
  etag: string;
  /** Digest of the ends of all logs, as of which it is at least. */
  stamp: string;
  body: () => Promise<string>;
}

export class AnswerCache {
  /** The oldest first. */
  readonly #texts = new Map<string, string>();
  readonly #making = new Map<string, Promise<string>>();
  #characters = 0;

  /** `sign`: another one for every other text. */
  answered(
    { name, sign, stamp }: { name: string; sign: string; stamp: string },
    make: () => Promise<string>,
  ): Answered {
    const etag = etagOf(sign);
    return { etag, stamp, body: () => this.get(`${name} ${etag}`, make) };
  }

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

/** Of a text that only its own bytes tell from another. */
export function answered(text: string, stamp: string): Answered {
  return { etag: etagOf(text), stamp, body: () => Promise.resolve(text) };
}

function etagOf(text: string): string {
  return `"${sha256(text).slice(0, 27)}"`;
}
