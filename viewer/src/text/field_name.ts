/** Names of fields for people. The log and the interface have them in the words of the engine: `s:0 confirmed.tests`. */
import type { Words } from "./en.ts";

/** A name that no table has stays as it is: a file, a section, a field of a later release. */
export function fieldName(label: string, { fields, steps }: Pick<Words, "fields" | "steps">): string {
  const [, path = "", name = ""] = /^((?:s:\d+|t:\d+)(?:\.(?:s|t):\d+)* )?(.*)$/s.exec(label) ?? [];
  const known: Readonly<Record<string, string>> = { ...steps.names, ...fields };
  const parts = name.split(".");
  if (!parts.every((part) => Object.hasOwn(known, part))) return label;
  return path + parts.map((part) => known[part]).join(" · ");
}
