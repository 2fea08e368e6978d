/** YAML that a user hands in, for hosts: the values, under the limits of every YAML reader. */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { parseYaml, valuesOf } from "./parse_yaml.ts";

/** INVALID_INPUT, which names the file as the user knows it. */
export async function yamlReader(): Promise<(text: string, file: string) => unknown> {
  const yaml = await import("yaml");
  return (text, file) => {
    try {
      return valuesOf(parseYaml(text, file, yaml), file);
    } catch (cause) {
      if (!isTaskfoldError(cause)) throw cause;
      throw new TaskfoldError("INVALID_INPUT", cause.message, {
        recovery: `Nothing was changed. Correct ${file}.`,
        cause,
      });
    }
  };
}
