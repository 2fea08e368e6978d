/** One word of a POSIX shell, quoted only where it has to be. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

/** A program and its arguments as a line for a shell. Without quotes the shell takes a first word such as `CI=1` for a variable, and no program. */
export function shellLine([program = "", ...args]: readonly string[]): string {
  return [/^\w+\+?=/.test(program) ? quoted(program) : shellQuote(program), ...args.map(shellQuote)].join(" ");
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A name that begins with a dash would be an option of `cd`. */
export function startable(folder: string): string {
  return folder.startsWith("-") ? `./${folder}` : folder;
}
