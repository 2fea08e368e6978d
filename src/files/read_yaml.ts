/** Reads a whole YAML document that a person wrote, as values; a fault in it is an answer and no exception. */
import type * as Yaml from "yaml";
import { parseYaml, valuesOf, YamlFault } from "./parse_yaml.ts";
import type { KeyPath } from "./parse_yaml.ts";

/** A number that YAML 1.1 and YAML 1.2 read differently, such as `010`, and where it stands. */
export interface AmbiguousNumber {
  path: KeyPath;
  source: string;
}

/** `at`: where the fault is; left out, it is one of the whole document. */
export type ReadYaml = { value: unknown; ambiguous: AmbiguousNumber[] } | { fault: string; at?: KeyPath };

const CONFLICT_MARKER = /^(?:<{7}|>{7}|\|{7}) .*$|^={7}$/m;
/** How every version of YAML, and a person, writes a number. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export function readYaml(text: string, yaml: typeof Yaml): ReadYaml {
  // Editors of one platform begin a file with it.
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const marker = CONFLICT_MARKER.exec(plain.replaceAll("\r\n", "\n"));
  if (marker !== null) {
    const line = lineAt(plain.replaceAll("\r\n", "\n"), marker.index);
    return { fault: `Expected the document to be merged, found a conflict marker of git in line ${line}.` };
  }
  try {
    const parsed = parseYaml(plain, "the document", yaml);
    return { value: valuesOf(parsed, "the document"), ambiguous: ambiguousNumbers(parsed.doc, yaml) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof YamlFault)) throw error;
    const { expected, found, path, position } = cause;
    const line = position === undefined ? "" : ` (line ${lineAt(plain, position)})`;
    return { fault: `Expected the document to hold ${expected}, found ${found}${line}.`, ...(path && { at: path }) };
  }
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

function ambiguousNumbers(doc: Yaml.Document, yaml: typeof Yaml): AmbiguousNumber[] {
  const found: AmbiguousNumber[] = [];
  yaml.visit(doc, {
    Scalar: (key, node, ancestors) => {
      const { source } = node;
      if (key === "key" || typeof node.value !== "number" || source === undefined || PLAIN_NUMBER.test(source)) return;
      found.push({ path: pathOf([...ancestors, node], yaml), source });
    },
  });
  return found;
}

function pathOf(nodes: readonly unknown[], yaml: typeof Yaml): (string | number)[] {
  return nodes.flatMap((node, i): (string | number)[] => {
    if (yaml.isPair(node)) return [String(yaml.isScalar(node.key) ? node.key.value : node.key)];
    return yaml.isSeq(node) ? [node.items.indexOf(nodes[i + 1])] : [];
  });
}
