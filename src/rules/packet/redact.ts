/**
 * Takes secrets and forbidden paths out of a text. All of them are looked for in the text as it was given, so no rule hides
 * from another what it would have found.
 */
import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import type { Manifest } from "../../state/packet.ts";
import type { FaultReason, FieldFault } from "./field_fault.ts";
import { expected, shown } from "./field_fault.ts";
import { FORBIDDEN_PATH, REDACTED } from "../../state/packet_masks.ts";
import { forbiddenPath } from "./forbidden_path.ts";
import { patternSpans } from "./pattern_spans.ts";
import { knownSecrets } from "./secrets.ts";
import type { Span } from "./secrets.ts";

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
  const patterns = compiled.flatMap((one) => ("pattern" in one ? [one.pattern] : []));
  const paths = (security?.forbidden_paths ?? []).map(forbiddenPath);
  return { redact: (text) => redact(text, patterns, paths) };
}

const kept = new WeakMap<object, Redactor>();
const NO_RULES = {};

/** The redactor of a manifest that was accepted; each is compiled once. */
export function redactorOf(security: Manifest["security"]): Redactor {
  const key = security ?? NO_RULES;
  const known = kept.get(key);
  if (known) return known;
  const made = redactor(security);
  // A log may hold a pattern that this release no longer takes: it hides nothing, but what is built in does.
  const usable = "errors" in made ? (redactor({ forbidden_paths: security?.forbidden_paths ?? [] }) as Redactor) : made;
  kept.set(key, usable);
  return usable;
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

function redact(text: string, patterns: readonly Re2.RE2JS[], paths: readonly RegExp[]): Redacted {
  const secrets = [
    ...knownSecrets(text),
    ...patterns.map((pattern, i) => ({ name: `redaction_patterns[${i}]`, spans: patternSpans(pattern, text) })),
  ];
  const forbidden = paths.map((path, i) => ({
    name: `forbidden_paths[${i}]`,
    spans: Array.from(text.matchAll(path), ({ index, 0: { length } }) => ({ start: index, end: index + length })),
  }));
  return {
    text: replaced(text, [
      ...secrets.flatMap(({ spans }) => spans.map((span) => ({ ...span, by: REDACTED }))),
      ...forbidden.flatMap(({ spans }) => spans.map((span) => ({ ...span, by: FORBIDDEN_PATH }))),
    ]),
    redactions: counts(secrets),
    forbidden: counts(forbidden),
  };
}

/** Spans that overlap become one; it counts as a secret if one of them does. */
function replaced(text: string, found: (Span & { by: string })[]): string {
  if (found.length === 0) return text;
  const spans = found.toSorted((a, b) => a.start - b.start);
  const merged = [{ ...spans[0]! }];
  for (const span of spans.slice(1)) {
    const last = merged.at(-1)!;
    if (span.start >= last.end) merged.push({ ...span });
    else {
      last.end = Math.max(last.end, span.end);
      if (span.by === REDACTED) last.by = REDACTED;
    }
  }
  let position = 0;
  const parts = merged.map(({ start, end, by }) => {
    const part = text.slice(position, start) + by;
    position = end;
    return part;
  });
  return parts.join("") + text.slice(position);
}

function counts(found: { name: string; spans: Span[] }[]): Record<string, number> {
  return Object.fromEntries(found.flatMap(({ name, spans }) => (spans.length === 0 ? [] : [[name, spans.length]])));
}
