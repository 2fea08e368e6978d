// @ts-check
// docs/commands.md: the help of every command and topic as one page.

/** Groups of commands, whose commands have pages of their own. */
const GROUPS = ["plan", "taskdoc", "packet", "git"];

/**
 * @param {(...argv: string[]) => Promise<string>} said What the program prints for these arguments.
 * @returns {Promise<string>}
 */
export async function manual(said) {
  /** @param {string[]} before */
  const namesAfter = async (...before) => {
    const lines = await said("__complete", "--", ...before, "");
    return lines.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
  };
  const commands = (await namesAfter()).flatMap((name) => (name === "help" ? [] : [[name]]));
  const inner = await Promise.all(GROUPS.map(async (group) => (await namesAfter(group)).map((name) => [group, name])));
  const pages = commands.flatMap(([name = ""]) => [[name], ...inner.flat().filter(([group]) => group === name)]);
  const parts = ["# Commands\n\nWritten by `npm run generate` from what `taskfold help` prints.\n"];
  for (const words of pages) parts.push(`## taskfold ${words.join(" ")}\n\n${fenced(await said("help", ...words))}`);
  const root = await said("help");
  const topics = /^Topics: taskfold help ([a-z, ]+)\.$/m.exec(root)?.[1]?.split(", ") ?? [];
  parts.push("# Topics\n");
  for (const topic of topics) parts.push(`## ${topic}\n\n${fenced(await said("help", topic))}`);
  return parts.join("\n");
}

/** @param {string} text */
function fenced(text) {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}
