/** Whether a text is a whole shell command, as far as its quotes, here-documents, brackets and blocks tell (PACKET-77). */

export type ShellEnd = "whole" | "open" | "wrong";

/** `open`: more lines may end it. `wrong`: it closes what it did not open. */
export function shellEnd(text: string): ShellEnd {
  return new ShellScan(text).read();
}

/** Words that open a block at the beginning of a command, each with the word that ends it. */
const OPENS: Record<string, string> = {
  if: "fi",
  case: "esac",
  for: "done",
  while: "done",
  until: "done",
  select: "done",
  "{": "}",
};
const CLOSES = new Set(Object.values(OPENS));
/** Words behind which a command begins. */
const GOES_ON = new Set(["then", "else", "elif", "do", "!", "time"]);
const HEREDOC = /<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([A-Za-z0-9_.-]+))/y;

class ShellScan {
  readonly #text: string;
  /** The open blocks and quotes, by what ends them. */
  readonly #open: string[] = [];
  readonly #heredocs: { end: string; tabs: boolean }[] = [];
  #at = 0;
  #isStart = true;
  #isWrong = false;
  /** The last token was an operator that a command has to follow. */
  #isPending = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ShellEnd {
    while (this.#at < this.#text.length && !this.#isWrong) {
      if (this.#open.at(-1) === '"') this.#readQuoted();
      else this.#readCode();
    }
    if (this.#isWrong) return "wrong";
    return this.#open.length > 0 || this.#heredocs.length > 0 || this.#isPending ? "open" : "whole";
  }

  #readQuoted(): void {
    const character = this.#text[this.#at]!;
    if (character === "\\") this.#at += 2;
    else if (character === "$" || character === "`") this.#readExpansion();
    else {
      if (character === '"') this.#open.pop();
      this.#at++;
    }
  }

  #readCode(): void {
    const rest = this.#text.slice(this.#at, this.#at + 2);
    const character = rest[0]!;
    if (character === "\n") this.#readLineEnd();
    else if (/\s/.test(character)) this.#at++;
    else if (character === "#" && /^$|[\s;&|(]/.test(this.#text[this.#at - 1] ?? "")) this.#skipTo("\n");
    else if (this.#text.startsWith("<<<", this.#at)) this.#at += 3;
    else if (rest === "<<") this.#readHeredoc();
    else if (/[;&|()]/.test(character)) this.#readOperator(rest);
    else if (character === "}" && this.#open.at(-1) === "${") this.#close("${");
    else this.#readWord();
  }

  #readLineEnd(): void {
    this.#at++;
    for (const { end, tabs } of this.#heredocs.splice(0)) {
      const found = this.#lineOf(end, tabs);
      if (found === undefined) {
        this.#heredocs.push({ end, tabs });
        this.#at = this.#text.length;
        return;
      }
      this.#at = found;
    }
    this.#isStart = true;
  }

  /** Where the line after the end of a here-document begins. */
  #lineOf(end: string, tabs: boolean): number | undefined {
    for (let at = this.#at; at < this.#text.length;) {
      const feed = this.#text.indexOf("\n", at);
      const next = feed < 0 ? this.#text.length : feed + 1;
      const line = this.#text.slice(at, feed < 0 ? undefined : feed);
      if ((tabs ? line.replace(/^\t+/, "") : line) === end) return next;
      at = next;
    }
    return undefined;
  }

  #readHeredoc(): void {
    HEREDOC.lastIndex = this.#at;
    const [whole = "<<", dash, single, double, plain] = HEREDOC.exec(this.#text) ?? [];
    const end = single ?? double ?? plain;
    if (end !== undefined) this.#heredocs.push({ end, tabs: dash === "-" });
    this.#at += whole.length;
  }

  #readOperator(rest: string): void {
    const [character] = rest;
    this.#isStart = true;
    if (character === "(") this.#open.push(")");
    else if (character === ")") this.#closeBracket();
    const isDouble = rest === "&&" || rest === "||";
    this.#isPending = isDouble || rest === "|&" || character === "|";
    this.#at += isDouble || rest === "|&" ? 2 : 1;
  }

  #closeBracket(): void {
    const top = this.#open.at(-1);
    // The pattern of a case has no opening bracket.
    if (top === "esac") return;
    if (top === "$(") this.#isStart = false;
    this.#close(top === "$(" ? top : ")");
  }

  #readWord(): void {
    const from = this.#at;
    const depth = this.#open.length;
    this.#isPending = false;
    while (this.#at < this.#text.length && this.#open.length === depth) {
      const character = this.#text[this.#at]!;
      if (/[\s;&|()<>]/.test(character) && this.#at > from) break;
      if (character === "\\") this.#at += 2;
      else if (character === "'") this.#readSingle(this.#text[this.#at - 1] === "$");
      else if (character === '"') this.#push('"', 1, false);
      else if (character === "$" || character === "`") this.#readExpansion();
      else if (character === "}" && this.#open.at(-1) === "${") break;
      else this.#at++;
    }
    const word = this.#text.slice(from, this.#at);
    if (this.#isStart && this.#open.length === depth) this.#readKeyword(word);
  }

  #readKeyword(word: string): void {
    if (Object.hasOwn(OPENS, word)) this.#open.push(OPENS[word]!);
    else if (CLOSES.has(word)) this.#close(word);
    this.#isStart = GOES_ON.has(word) || ["if", "while", "until", "{"].includes(word);
  }

  #readExpansion(): void {
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest === "$(") this.#push("$(", 2, true);
    else if (rest === "${") this.#push("${", 2, false);
    else if (rest[0] === "`" && this.#open.includes("`")) this.#close("`");
    else if (rest[0] === "`") this.#push("`", 1, true);
    else this.#at++;
  }

  /** Up to its quote; `escaped`: `$'...'`, where a backslash hides one. */
  #readSingle(escaped: boolean): void {
    const end = escaped ? /(?:[^'\\]|\\[^])*'/y : /[^']*'/y;
    end.lastIndex = this.#at + 1;
    if (end.test(this.#text)) this.#at = end.lastIndex;
    else this.#push("'", this.#text.length - this.#at, false);
  }

  #push(end: string, length: number, isStart: boolean): void {
    this.#open.push(end);
    this.#at += length;
    this.#isStart = isStart;
  }

  #close(end: string): void {
    if (this.#open.at(-1) === end) this.#open.pop();
    else this.#isWrong = true;
    if (end === "${" || end === "`") {
      this.#at++;
      this.#isStart = false;
    }
  }

  #skipTo(text: string): void {
    const at = this.#text.indexOf(text, this.#at);
    this.#at = at < 0 ? this.#text.length : at;
  }
}
