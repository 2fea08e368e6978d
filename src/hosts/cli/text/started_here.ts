/** The command line of an answer, which says `taskfold` to all of its readers, by the words that start the program here (CLI-7). */
export function startedHere(line: string, program: string): string {
  return line.replace(BEGIN, (_all, before: string | undefined) => `${before ?? ""}${program} `);
}

/** Behind a change to one folder, which may be quoted. A `taskfold` further on belongs to a command that the program runs. */
const BEGIN = /^(cd (?:'[^']*'|\\.|[^\s'\\])+ && )?taskfold (?=\S)/;
