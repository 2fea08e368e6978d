/** Questions to a person on a terminal, line by line. */

/**
 * Lines that were typed or pasted ahead answer the next questions. A person who breaks off gives no answer, and takes those back. No command that
 * asks nothing opens the terminal.
 */
export function asking(
  terminal: () => { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): (question: string) => Promise<string | undefined> {
  let ahead: string[] = [];
  let begun = "";
  return async (question) => {
    const { input, output } = terminal();
    const typed = ahead.shift();
    if (typed !== undefined) {
      output.write(`${question}${typed}\n`);
      return typed;
    }
    const { createInterface } = await import("node:readline/promises");
    // Closed after each answer: the terminal is as it was while the answer is followed.
    const lines = createInterface({ input, output });
    lines.on("line", (line) => ahead.push(line));
    try {
      const answer = lines.question(question);
      // A paste may end within a line: its half stands behind the next question, as if it were typed there.
      if (begun !== "") lines.write(begun);
      const line = await answer;
      begun = lines.line;
      return line;
    } catch (e) {
      // Ctrl-C and Ctrl-D are no answer.
      if (!(e instanceof Error) || e.name !== "AbortError") throw e;
      ahead = [];
      begun = "";
      output.write("\n");
      return undefined;
    } finally {
      lines.close();
    }
  };
}
