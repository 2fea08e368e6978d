/** YAML that another program wrote, for hosts: its values and its comments, under the limits of every YAML reader. */
import type * as Yaml from "yaml";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { parseYaml, valuesOf } from "./parse_yaml.ts";

export interface ReadYaml {
  /** Numbers are texts, as they are written: `1.10` is no `1.1`. */
  value: unknown;
  /** Its comments without their sign, a line each. */
  comments: string[];
}

/** INVALID_INPUT, which names the file as the user knows it. */
export async function yamlReader(): Promise<(text: string, file: string) => ReadYaml> {
  const yaml = await import("yaml");
  return (text, file) => {
    try {
      const parsed = parseYaml(text, file, yaml);
      yaml.visit(parsed.doc, {
        Scalar: (_key, node) => {
          if (typeof node.value === "number" && node.source !== undefined) node.value = node.source;
        },
      });
      return { value: valuesOf(parsed, file), comments: commentsIn(text, yaml) };
    } catch (cause) {
      if (!isTaskfoldError(cause)) throw cause;
      throw new TaskfoldError("INVALID_INPUT", cause.message, {
        recovery: `Nothing was changed. Correct ${file}.`,
        cause,
      });
    }
  };
}

/** Before a token that may begin with `#` and is a value. */
const VALUE_FOLLOWS = "\u001f";

function commentsIn(text: string, yaml: typeof Yaml): string[] {
  const comments: string[] = [];
  let before = "";
  for (const token of new yaml.Lexer().lex(text)) {
    const comment = before !== VALUE_FOLLOWS && token.startsWith("#") ? token.replace(/^#+/, "").trim() : "";
    if (comment !== "") comments.push(comment);
    before = token;
  }
  return comments;
}
