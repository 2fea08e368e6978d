/** The command line of an answer, which says `taskfold` to all of its readers, by the words that start the program here (CLI-272). */
export function startedHere(line: string, program: string): string {
  return line.replace(
    /^(cd .* && )?taskfold (?=\S)/,
    (_all, before: string | undefined) => `${before ?? ""}${program} `,
  );
}
