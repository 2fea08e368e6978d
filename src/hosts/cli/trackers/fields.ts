/** Members of an object that another program wrote: its own ones only, and text whatever their type. */
export class Fields {
  readonly #own: ReadonlyMap<string, unknown>;
  readonly #asked = new Set<string>();

  constructor(value: unknown) {
    this.#own = new Map(isObject(value) ? Object.entries(value) : []);
  }

  /** Trimmed; empty where it is missing, null, or no single value. */
  text(...names: string[]): string {
    for (const name of names) {
      const text = scalar(this.#take(name));
      if (text !== "") return text;
    }
    return "";
  }

  /** A list; one value is a list of one. */
  list(name: string): unknown[] {
    const value = this.#take(name);
    if (value === undefined || value === null || value === "") return [];
    return Array.isArray(value) ? (value as unknown[]) : [value];
  }

  texts(name: string): string[] {
    return this.list(name)
      .map(scalar)
      .filter((text) => text !== "");
  }

  object(name: string): Fields {
    return new Fields(this.#take(name));
  }

  has(name: string): boolean {
    return this.#own.has(name);
  }

  names(): string[] {
    return [...this.#own.keys()];
  }

  /** Notes that these have a place elsewhere, or need none. */
  skip(...names: string[]): void {
    for (const name of names) this.#asked.add(name);
  }

  /** Fields with a value that no reader asked for, as facts. */
  rest(): [string, string][] {
    return [...this.#own].flatMap(([name, value]): [string, string][] => {
      if (this.#asked.has(name)) return [];
      const text = isObject(value) || Array.isArray(value) ? compact(value) : scalar(value);
      return text === "" ? [] : [[name, text]];
    });
  }

  #take(name: string): unknown {
    this.#asked.add(name);
    return this.#own.get(name);
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function scalar(value: unknown): string {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n").trim();
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

function compact(value: object): string {
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

/** Those that say something. */
export function saying(...pairs: [name: string, text: string][]): [string, string][] {
  return pairs.filter(([, text]) => text !== "");
}
