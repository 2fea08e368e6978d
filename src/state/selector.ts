/** Marks an input that selects what a call works on. Where it is optional, an empty text selects nothing (MCP rules). */
const SELECTOR = Symbol("selector");

/** The same schema with the mark, which is in no JSON because symbols never are. */
export function selector<T extends object>(schema: T): T {
  return { ...schema, [SELECTOR]: true };
}

export function isSelector(schema: object): boolean {
  return SELECTOR in schema;
}
