/** Names of fields for people. The log and the interface have them in the words of the engine: `s:0 confirmed.tests`. */

type Table = Readonly<Record<string, string>>;

/** The tables of a language that have names of fields. */
interface Names {
  fields: Table;
  steps: { names: Table };
  taskdoc: { sections: Table };
}

/** The place before the field of a label: the path of a step or node, or a stage with its attempt. */
const PLACE = /^((?:s:\d+|t:\d+)(?:\.(?:s|t):\d+)* |[a-z]+(?:_[a-z]+)+ (?:\d+ )?)?(.*)$/s;
/** A field that has a name of its own: a card, a gate, an agent. */
const NAMED = /^(card|gate|agent|report) (.+)$/s;
const SECTION = /^taskdoc\.tsk\/(.+)\.md$/;

/** A name that no table has stays as it is: a file, a field of a later release. */
export function fieldName(label: string, { fields, steps, taskdoc }: Names): string {
  const section = SECTION.exec(label)?.[1];
  if (section !== undefined && Object.hasOwn(taskdoc.sections, section)) return taskdoc.sections[section]!;
  const known: Table = { ...steps.names, ...fields };
  const named = NAMED.exec(label);
  if (named) return `${known[named[1]!]} ${named[2]}`;
  const [, place = "", name = ""] = PLACE.exec(label) ?? [];
  const parts = name.split(".");
  if (!parts.every((part) => Object.hasOwn(known, part))) return label;
  return place + parts.map((part) => known[part]).join(" · ");
}
