/** Checklists in Markdown. */
import type { Said, Writing, Written } from "./writing.ts";

/** What begins no other line or box. */
const JOINTS = [" ", ", ", ": ", ' "', " & ", " *", "` ", "\u00a0", " <b>", " | ", "\t", " 👩‍👩‍👧 "];

export function writeMarkdown(w: Writing): Written {
  const files = new Map<string, string>();
  const said: Said[] = [];
  for (let n = 0; n < 1 + w.random.below(2); n++) {
    const name = `${n}.md`;
    files.set(`lists/${name}`, pageOf(w, `lists/${name}`, said));
  }
  return { path: "lists", files, said };
}

function pageOf(w: Writing, file: string, said: Said[]): string {
  const lines: string[] = [];
  const put = (line: string, title?: string): void => {
    lines.push(line);
    for (const [at, one] of line.split("\n").entries())
      said.push({
        field: `line ${lines.join("\n").split("\n").length - line.split("\n").length + at + 1} of ${file}`,
        value: one.replace(/^\s*[-*+] \[.\] /, ""),
        ...(title === undefined ? {} : { of: title }),
      });
  };
  const line = (): string => w.line(JOINTS);
  if (w.random.chance(0.5)) put(line());
  // A file without a box is no checklist.
  const title = line();
  put(`- [ ] ${title}`, title);
  let task = title;
  let isOpen = true;
  for (let n = 0; n < w.random.below(20); n++) {
    switch (w.random.below(10)) {
      case 0:
        put("");
        put(w.pick([`# ${line()}`, `## ${line()} ##`, `${line()}\n====`, `${line()}\n---`]));
        isOpen = false;
        break;
      case 1:
      case 2:
        task = line();
        isOpen = true;
        put(`${w.pick(["-", "*", "+"])} [${w.pick([" ", "x", "X", "/", "-", "~", "!"])}] ${task}`, task);
        break;
      case 3:
        // On the line below a box it goes on with the box; else it is about the list.
        put(line());
        break;
      case 4:
        put("");
        put(line());
        isOpen = false;
        break;
      case 5:
        put(isOpen ? `  ${line()}` : line(), isOpen ? task : undefined);
        break;
      case 6:
        if (isOpen) put(`  - [${w.pick([" ", "x", "/", "-", "?"])}] ${line()}`, task);
        break;
      case 7:
        if (isOpen) put(`      ${line()}`, task);
        break;
      case 8:
        put(`- ${line()}`);
        isOpen = false;
        break;
      default:
        put("```");
        put(`- [ ] ${line()}`);
        put("```");
        isOpen = false;
    }
    if (!isOpen) task = "";
  }
  return w.random.chance(0.3) ? lines.join("\n").replaceAll("\n", "\r\n") : lines.join("\n");
}
