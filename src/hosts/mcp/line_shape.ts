/**
 * Counts the members of a line of JSON while its bytes come, without parsing it. A server that parses and checks a
 * million members answers no other client meanwhile.
 */

export interface ShapeLimits {
  /** Values in all: members of objects and items of lists. */
  values: number;
  /** Members of one object. */
  members: number;
}

/** Deeper levels count as one. No input of a tool is as deep. */
const LEVELS = 256;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export class LineShape {
  readonly #limits: ShapeLimits;
  /** Members of the objects that are open, the outermost first. */
  readonly #members = new Uint32Array(LEVELS);
  #level = 0;
  #values = 0;
  #inText = false;
  #escaped = false;

  constructor(limits: ShapeLimits) {
    this.#limits = limits;
  }

  /** The next bytes of the line; false once it holds more than the limits allow. */
  take(bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (this.#escaped) this.#escaped = false;
      else if (byte === QUOTE) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === BACKSLASH;
      else if (byte >= COMMA && !this.#count(byte)) return false;
    }
    return true;
  }

  /** For the next line. */
  reset(): void {
    this.#level = 0;
    this.#values = 0;
    this.#members[0] = 0;
    this.#inText = false;
    this.#escaped = false;
  }

  #count(byte: number): boolean {
    switch (byte) {
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (this.#level < LEVELS - 1) this.#members[++this.#level] = 0;
        return ++this.#values <= this.#limits.values;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (this.#level > 0) this.#level--;
        return true;
      case COLON:
        return ++this.#members[this.#level]! <= this.#limits.members;
      case COMMA:
        return ++this.#values <= this.#limits.values;
      default:
        return true;
    }
  }
}
