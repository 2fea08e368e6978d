/**
 * Takes secrets and forbidden paths out of a text. All of them are looked for in the text as it was given, so no rule hides
 * from another what it would have found.
 */
import { createRequire } from "node:module";
import { isTaskfoldError } from "../../errors.ts";
import type * as Re2 from "re2js";
import type { Manifest } from "../../state/packet.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, shown } from "./field_fault.ts";
import { FORBIDDEN_PATH, REDACTED } from "../../state/packet_masks.ts";
import { forbiddenPath } from "./forbidden_path.ts";
import type { PatternProgram } from "./pattern_program.ts";
import { programOf } from "./pattern_program.ts";
import { patternSpans } from "./pattern_spans.ts";
import { knownSecrets } from "./secrets.ts";
import type { Span } from "./secrets.ts";
import { shownText } from "./shown_text.ts";

/** A cleaned text. The counts are by rule and never hold what was found. */
export interface Redacted {
  text: string;
  /** By `redaction_patterns[0]`, or by the name of a built-in kind such as `github_token`. */
  redactions: Record<string, number>;
  /** By `forbidden_paths[0]`. */
  forbidden: Record<string, number>;
}

export interface Redactor {
  redact: (text: string) => Redacted;
  /** The same in slices. Yields the steps of each, so that a caller may let others go first. */
  redactInSlices: (text: string) => Generator<number, Redacted>;
}

let loaded: typeof Re2 | undefined;

/** Loaded when a pattern asks for it: it costs as much as half of the start of a command. */
function re2(): typeof Re2 {
  return (loaded ??= createRequire(import.meta.url)("re2js") as typeof Re2);
}

/** Instructions of a compiled pattern: each character of a text may cost one step for each of them. */
const LARGEST_PROGRAM = 10_000;
const UNSUPPORTED =
  "Look-around, back-references, possessive and atomic groups, (?x), \\Z, \\uXXXX (write \\x{...}) and counts above 1000 are not supported.";

/** A redactor for the security block of a manifest, compiled once; errors name each pattern that does not compile. */
export function redactor(security: Manifest["security"]): Redactor | { errors: FieldFault[] } {
  const compiled = (security?.redaction_patterns ?? []).map((source, i) =>
    compilePattern(source, `security.redaction_patterns[${i}]`),
  );
  const errors = compiled.flatMap((one) => ("fault" in one ? [one.fault] : []));
  if (errors.length > 0) return { errors };
  const patterns = compiled.flatMap((one) => ("pattern" in one ? [programOf(one.pattern)] : []));
  const paths = (security?.forbidden_paths ?? []).map(forbiddenPath);
  const redactInSlices: Redactor["redactInSlices"] = (text) => slicesOf(text, patterns, paths);
  return { redact: (text) => whole(redactInSlices(text)), redactInSlices };
}

function whole(slices: Generator<number, Redacted>): Redacted {
  for (;;) {
    const next = slices.next();
    if (next.done) return next.value;
  }
}

/** Redactors by their rules, each compiled once. */
const kept = new Map<string, KnownRedactor>();
const MAX_KEPT = 32;

/** The redactor of a manifest that was accepted. */
export function redactorOf(security: Manifest["security"]): Pick<Redactor, "redact"> {
  const rules = JSON.stringify([security?.redaction_patterns ?? [], security?.forbidden_paths ?? []]);
  const known = kept.get(rules);
  if (known) return known;
  const made = redactor(security);
  // A log may hold a pattern that this release no longer takes: it hides nothing, but what is built in does.
  const usable = "errors" in made ? (redactor({ forbidden_paths: security?.forbidden_paths ?? [] }) as Redactor) : made;
  const one = new KnownRedactor(usable);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(rules, one);
  return one;
}

/** A text that a decision will ask for, and that no redactor has looked at yet. */
export interface Unmasked {
  redactor: KnownRedactor;
  text: string;
}

/** Where `unmaskedIn` collects texts; null while a text is redacted as it is asked for. */
let collecting: Unmasked[] | null = null;

/** Texts that a function would have redacted, without doing so: it gets them as they are, and what it answers counts for nothing. */
export function unmaskedIn(rehearsed: () => void): Unmasked[] {
  const found: Unmasked[] = [];
  const outer = collecting;
  collecting = found;
  try {
    rehearsed();
  } catch (e) {
    // The decision itself refuses what is to be refused.
    if (!isTaskfoldError(e)) throw e;
  } finally {
    collecting = outer;
  }
  return found;
}

/** Redacts a text and keeps what came of it; gives what lets go of that. Yields the steps of each slice. */
export function* maskedAhead({ redactor: by, text }: Unmasked): Generator<number, () => void> {
  const masked = yield* by.redactInSlices(text);
  by.ahead.set(text, masked);
  return () => by.ahead.delete(text);
}

class KnownRedactor implements Redactor {
  readonly redactInSlices: Redactor["redactInSlices"];
  /** Texts that were redacted before a decision asks for them. */
  readonly ahead = new Map<string, Redacted>();

  constructor({ redactInSlices }: Redactor) {
    this.redactInSlices = redactInSlices;
  }

  readonly redact = (text: string): Redacted => {
    const known = this.ahead.get(text);
    if (known) return known;
    if (collecting === null) return whole(this.redactInSlices(text));
    collecting.push({ redactor: this, text });
    return { text, redactions: {}, forbidden: {} };
  };
}

/** The pattern, or why it is none. `field` is where it stands. */
export function compilePattern(source: string, field: string): { pattern: Re2.RE2JS } | { fault: FieldFault } {
  const fault = (reason: FaultReason, what: string, found: string, hint: string): { fault: FieldFault } => ({
    fault: { field, reason, message: expected(field, what, found, hint) },
  });
  try {
    const pattern = re2().RE2JS.compile(source);
    if (pattern.programSize() <= LARGEST_PROGRAM) return { pattern };
    return fault("too_large", "a pattern of moderate size", shown(source), "Repeat less, or split it into several.");
  } catch (error) {
    if (!(error instanceof re2().RE2JSException)) throw error;
    const why = error.message.replace(/^error parsing regexp: /, "");
    return fault("pattern", "a regular expression of RE2", `${shown(source)} (${why})`, UNSUPPORTED);
  }
}

/** Finding the secrets that every redaction knows costs about as much as so many steps for each character. */
const STEPS_OF_KNOWN = 8;

function* slicesOf(
  text: string,
  patterns: readonly PatternProgram[],
  paths: readonly RegExp[],
): Generator<number, Redacted> {
  const { plain, spanIn } = shownText(text);
  const marks = new Marks(text);
  const take = (counts: Record<string, number>, name: string, spans: readonly Span[], by: string): void =>
    marks.count(counts, name, spans.map(spanIn), by);
  const redactions: Record<string, number> = {};
  for (const { name, spans } of knownSecrets(plain)) take(redactions, name, spans, REDACTED);
  yield STEPS_OF_KNOWN * text.length;
  for (const [i, pattern] of patterns.entries())
    take(redactions, `redaction_patterns[${i}]`, yield* patternSpans(pattern, plain), REDACTED);
  const forbidden: Record<string, number> = {};
  for (const [i, path] of paths.entries()) {
    const found = Array.from(plain.matchAll(path), ({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
    }));
    take(forbidden, `forbidden_paths[${i}]`, found, FORBIDDEN_PATH);
  }
  return { text: marks.replaced(), redactions, forbidden };
}

/** The places of a text that are taken out. Each costs a constant time, because a text may have very many. */
class Marks {
  readonly #text: string;
  /** Where the longest span ends that begins at a place; 0 where none begins. */
  #ends: Int32Array | undefined;
  #isSecret = new Uint8Array();

  constructor(text: string) {
    this.#text = text;
  }

  count(counts: Record<string, number>, name: string, spans: readonly Span[], by: string): void {
    if (spans.length === 0) return;
    counts[name] = spans.length;
    if (!this.#ends) {
      this.#ends = new Int32Array(this.#text.length);
      this.#isSecret = new Uint8Array(this.#text.length);
    }
    for (const { start, end } of spans) {
      this.#ends[start] = Math.max(this.#ends[start]!, end);
      if (by === REDACTED) this.#isSecret[start] = 1;
    }
  }

  /** Spans that overlap become one; it counts as a secret if one of them does. */
  replaced(): string {
    const ends = this.#ends;
    if (!ends) return this.#text;
    const parts: string[] = [];
    let behind = 0;
    for (let at = 0; at < ends.length;) {
      if (ends[at] === 0) {
        at++;
        continue;
      }
      parts.push(this.#text.slice(behind, at));
      let isSecret = false;
      for (behind = ends[at]!; at < behind; at++) {
        behind = Math.max(behind, ends[at]!);
        isSecret ||= this.#isSecret[at] === 1;
      }
      parts.push(isSecret ? REDACTED : FORBIDDEN_PATH);
    }
    return parts.join("") + this.#text.slice(behind);
  }
}
