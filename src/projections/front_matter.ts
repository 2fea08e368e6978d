/** The head of a Markdown file as Coco's views expect it. */
import type { YamlDocument } from "./yaml.ts";
import { yaml } from "./yaml.ts";

export function frontMatter(fields: YamlDocument): string {
  return `---\n${yaml(fields)}---\n`;
}
