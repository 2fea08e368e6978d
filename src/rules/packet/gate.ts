import { asIs, keptForm, phrased, textOf } from "../../sentence.ts";
import type { KeptForm, Sentence } from "../../sentence.ts";
import { shorten } from "../../state/code_points.ts";
import { LIMITS } from "../../state/limits.ts";
import { PACKET_LIMITS } from "../../state/packet_schema.ts";
import { readMarkdown, type Heading, type MarkdownText } from "../../state/outline.ts";
import type { AcceptanceResult, FailureClass } from "../../state/packet.ts";
import { holdsMask } from "../../state/packet_masks.ts";
import { diffIn, hasDiffMarks, pathsInDiff } from "./diff.ts";
import { BRIEF_HEADINGS, PACK_HEADINGS, ROLE_HEADINGS } from "./gate_headings.ts";
import { listed } from "../phrase.ts";
import { brokenCommands, handOff, packRange } from "./hand_off.ts";
import { outOfScope, type Scope } from "./scope.ts";

export interface GateInput {
  /** Text of `.out`; null: there is no such file. */
  out: string | null;
  /** Size of `.out` where `out` is only its beginning. */
  cut_bytes?: number | null;
  /** Null: the tool was killed, or it never started. */
  exit_code: number | null;
  /** A tool that ran out of time failed, whatever it ended with. */
  timed_out?: boolean;
  scope: Scope;
  /** The paths that changed in the work tree while the stage ran; null: not known. */
  changed_paths: readonly string[] | null;
  /** Whether git would take the diff; null: not asked. */
  applies: boolean | null;
  /** Why the end of the attempt could not be recorded; left out: it could. */
  refused?: string | undefined;
  /** Null: no command was run. */
  acceptance: readonly AcceptanceResult[] | null;
  /** Commands that a verifying stage has to pass. */
  commands: readonly string[];
}

export interface GateResult {
  /** False: the tool failed, and its output was not looked at. */
  judged: boolean;
  passed: boolean;
  reasons: string[];
  /** Of each reason its form; null of one that was cut or that another program gave. */
  forms: (KeptForm | null)[];
  class_if_failed: FailureClass | null;
}

interface Reason {
  says: Sentence;
  isScope?: boolean;
}

const MAX_REASONS = 50;
const REASON_CODE_POINTS = 300;

/** Whether a stage did what its role asks for. Total: outputs are whatever a model printed (PACKET-50). */
export function judgeGate(role: string, input: GateInput): GateResult {
  if (input.exit_code !== 0 || input.timed_out === true) {
    return { judged: false, passed: false, ...inTexts([endReason(input)]), class_if_failed: null };
  }
  const found: Reason[] =
    input.refused === undefined ? foundIn(role, input) : [{ says: asIs(input.refused) }, ...scopeReasons(role, input)];
  const reasons = [...new Map(found.map(({ says }) => [boundedReason(says).text, boundedReason(says)])).values()];
  if (reasons.length === 0) return { judged: true, passed: true, ...inTexts([]), class_if_failed: null };
  const isScope = found.some((reason) => reason.isScope);
  return {
    judged: true,
    passed: false,
    ...inTexts(shortened(reasons)),
    class_if_failed: isScope ? "scope_violation" : "contract_violation",
  };
}

function endReason({ exit_code, timed_out }: GateInput): Sentence {
  if (timed_out === true) return phrased`Expected the tool to end with exit code 0; found that it ran out of time.`;
  return exit_code === null
    ? phrased`Expected the tool to end with exit code 0; found that it was stopped.`
    : phrased`Expected the tool to end with exit code 0; found ${exit_code}.`;
}

function inTexts(reasons: readonly Sentence[]): Pick<GateResult, "reasons" | "forms"> {
  return { reasons: reasons.map(textOf), forms: reasons.map(keptForm) };
}

function boundedReason(reason: Sentence): Sentence {
  const text = shorten(reason.text, REASON_CODE_POINTS).toWellFormed();
  return text === reason.text ? reason : asIs(text);
}

/** As many as a person reads, and how many there are beside them. */
function shortened(reasons: Sentence[]): Sentence[] {
  const more = reasons.length - MAX_REASONS;
  return more > 0 ? [...reasons.slice(0, MAX_REASONS), phrased`There are ${more} more reasons of this kind.`] : reasons;
}

function foundIn(role: string, input: GateInput): Reason[] {
  const stated = [...reasonsOf(role, input), ...scopeReasons(role, input)];
  return [...cutReasons(role, input, stated.length > 0), ...stated];
}

function reasonsOf(role: string, input: GateInput): Reason[] {
  const { out } = input;
  if (out === null) return [{ says: phrased`Expected the output of the tool; found no file.` }];
  if (role === "brief") return [...briefReasons(readMarkdown(out)), ...handOffReasons(out)];
  if (role === "impl") return implReasons(out, input);
  if (role === "verify") return verifyReasons(input);
  if (role === "test_design") return lengthReasons(out);
  const headings = Object.hasOwn(ROLE_HEADINGS, role) ? ROLE_HEADINGS[role]! : [];
  const text = readMarkdown(out);
  const missing = headings.flatMap((title) => headingReason(text, title, text.headings, beginsWith(title)));
  return role === "test_impl" ? [...missing, ...testImplReasons(out, text, input)] : missing;
}

/** Roles whose whole output is acted on: what no gate read may hold a path out of scope, or half of a hand-off. */
const READ_WHOLE: readonly string[] = ["brief", "impl", "test_impl"];

/** Other roles hear of it where something is missing, because it may stand behind the cut. */
function cutReasons(role: string, { cut_bytes = null }: GateInput, isMissing: boolean): Reason[] {
  if (cut_bytes === null || !(READ_WHOLE.includes(role) || isMissing)) return [];
  return [
    {
      says: phrased`Expected an output of at most ${LIMITS.judgedBytes} bytes, which the gate reads; found ${cut_bytes}.`,
    },
  ];
}

function briefReasons(text: MarkdownText): Reason[] {
  const headings = BRIEF_HEADINGS.flatMap((title) => headingReason(text, title, text.headings, (one) => one === title));
  const own = [...headings, ...brokenCommands(text).map(brokenReason)];
  const range = packRange(text);
  if (!range) return own;
  const inPack = text.headings.filter(({ line }) => line >= range.from && line < range.to);
  return [...own, ...PACK_HEADINGS.flatMap((title) => headingReason(text, title, inPack, beginsWith(title), IN_PACK))];
}

function brokenReason(command: string): Reason {
  const found = JSON.stringify(shorten(command, 120));
  return {
    says: phrased`Expected whole commands below "## Verify Commands"; found ${found}, where a quote, a here-document, a bracket or a block has no end or no beginning.`,
  };
}

/** Returns reasons why the stages behind a brief could not use it. */
function handOffReasons(brief: string): Reason[] {
  const { pack, commands } = handOff(brief);
  const bytes = Buffer.byteLength(pack ?? "");
  const isLarge = bytes > LIMITS.textBytes;
  return [
    ...(isLarge
      ? [{ says: phrased`Expected an updated context pack of at most ${LIMITS.textBytes} bytes; found ${bytes}.` }]
      : []),
    ...commandsFaults(commands ?? []),
  ];
}

function commandsFaults(commands: readonly string[]): Reason[] {
  const most = PACKET_LIMITS.commands;
  const long = commands.find((command) => command.length > PACKET_LIMITS.text);
  return [
    ...(commands.length > most
      ? [{ says: phrased`Expected at most ${most} verify commands; found ${commands.length}.` }]
      : []),
    ...(long === undefined
      ? []
      : [{ says: phrased`Expected commands of at most ${PACKET_LIMITS.text} characters; found ${long.length}.` }]),
  ];
}

const IN_PACK = phrased` below ## Updated Context Pack`;

/** `Findings (3)` is a section of findings, `Planning` is none of plans. */
function beginsWith(title: string): (found: string) => boolean {
  const wanted = title.toLowerCase();
  return (found) => {
    const text = found.replace(/\s+/g, " ").toLowerCase();
    return text.startsWith(wanted) && !/^[\p{L}\p{N}]/u.test(text.slice(wanted.length));
  };
}

function headingReason(
  text: MarkdownText,
  title: string,
  among: readonly Heading[],
  fits: (title: string) => boolean,
  where: Sentence | "" = "",
): Reason[] {
  if (among.some((heading) => heading.level === 2 && fits(heading.title))) return [];
  return [
    {
      says: phrased`Expected the heading "## ${title}"${where}, outside of code blocks; found ${nearest(text, title)}.`,
    },
  ];
}

/** Returns the line that an author may have taken for the heading. */
function nearest({ headings, lines, inBlock }: MarkdownText, title: string): Sentence {
  const like = beginsWith(title);
  const heading = headings.find((one) => like(one.title));
  if (heading)
    return phrased`"${`${"#".repeat(heading.level)} ${shorten(heading.title, 60)}`}" in line ${heading.line + 1}`;
  const line = lines.findIndex((one, i) => inBlock[i] && like(one.replace(/^[\s#]+/, "")));
  return line < 0 ? phrased`none` : phrased`it in a code block, in line ${line + 1}`;
}

function implReasons(out: string, input: GateInput): Reason[] {
  const { changed_paths } = input;
  if (!hasDiffMarks(out)) {
    return [{ says: phrased`Expected a unified diff (lines that begin with ---, +++ or @@); found none.` }];
  }
  const isEmpty = pathsInDiff(out).length === 0 && (changed_paths ?? []).length === 0;
  return [
    ...(isEmpty
      ? [{ says: phrased`Expected a diff that names a file, or a change of the work tree; found neither.` }]
      : []),
    ...appliesReasons("impl", out, input),
  ];
}

/** A mask inside a diff makes git refuse it, and no retry repairs that: the reason names the lines. */
function appliesReasons(role: string, out: string, { applies, changed_paths }: GateInput): Reason[] {
  if (applies !== false) return [];
  const refused = phrased`Expected a diff that git can apply; git apply --check refused it.`;
  const diff = diffIn(role, out) ?? "";
  const masked = maskedLines(out, diff);
  if (masked.length === 0) return [{ says: refused }];
  const changed = new Set(changed_paths);
  // The work tree has what the masked diff can no longer say.
  if (pathsInDiff(diff).every((path) => changed.has(path))) return [];
  const numbers = listed(masked.map(String));
  const lines =
    masked.length === 1
      ? phrased`Line ${numbers} of the output lost text to a mask: a pattern of the manifest, or a rule for known secrets.`
      : phrased`Lines ${numbers} of the output lost text to a mask: a pattern of the manifest, or a rule for known secrets.`;
  return [{ says: phrased`${refused} ${lines} Change the pattern, or let the stage write the files.` }];
}

/** Numbers of the lines of a diff that hold a mask, as they stand in the output. */
function maskedLines(out: string, diff: string): number[] {
  const lines = new Set(diff.split(/\r?\n/).filter(holdsMask));
  return out.split(/\r?\n/).flatMap((line, i) => (lines.has(line) ? [i + 1] : []));
}

function testImplReasons(out: string, text: MarkdownText, input: GateInput): Reason[] {
  const prose = text.lines.filter((_, i) => !text.inBlock[i]).join("\n");
  if (/No (?:changes|diff) required\./i.test(prose)) return [];
  const diff = diffIn("test_impl", out);
  if (diff === null) {
    return [
      {
        says: phrased`Expected a ${"```diff"} block below "## Unified Diff", or "No changes required."; found neither.`,
      },
    ];
  }
  if (!hasDiffMarks(diff)) return [{ says: phrased`Expected ---, +++ or @@ in the block of the diff; found none.` }];
  const isEmpty = pathsInDiff(diff).length === 0;
  return [
    ...(isEmpty ? [{ says: phrased`Expected a diff that names a file; found none.` }] : []),
    ...appliesReasons("test_impl", out, input),
  ];
}

const TEST_DESIGN_LINES = 10;

function lengthReasons(out: string): Reason[] {
  const text = out.trim();
  const count = text === "" ? 0 : text.split(/\r\n|\n|\r/).length;
  if (count >= TEST_DESIGN_LINES) return [];
  return [{ says: phrased`Expected at least ${TEST_DESIGN_LINES} lines of test design; found ${count}.` }];
}

/** Each command needs a result of its own: what was not run is not proved. */
function verifyReasons({ acceptance, commands }: GateInput): Reason[] {
  const left = [...(acceptance ?? [])];
  return commands.flatMap((command) => {
    const at = left.findIndex((result) => result.command === command);
    const [result] = at < 0 ? [] : left.splice(at, 1);
    const name = shorten(command, 120);
    if (!result)
      return [{ says: phrased`Expected a result of the acceptance command "${name}"; found that it was not run.` }];
    if (result.timed_out)
      return [{ says: phrased`Expected the acceptance command "${name}" to end; found that it ran out of time.` }];
    if (result.exit_code === 0) return [];
    const code = String(result.exit_code);
    return [{ says: phrased`Expected the acceptance command "${name}" to end with exit code 0; found ${code}.` }];
  });
}

/** Tools make caches that way, and the rules from before do not have the folder. */
function ignoredByItself(path: string): Sentence | "" {
  const folder = /^(.+\/)\.gitignore$/.exec(path)?.[1];
  return folder === undefined
    ? ""
    : phrased` A folder with ignore rules of its own: if a tool makes it, add "${folder}" to .gitignore before the run.`;
}

/** Changes of the work tree count for every role, a diff for the roles that propose one. */
function scopeReasons(role: string, { out, scope, changed_paths, applies }: GateInput): Reason[] {
  const diff = role === "impl" ? out : role === "test_impl" && out !== null ? diffIn(role, out) : null;
  const named = new Set(diff === null ? [] : pathsInDiff(diff, applies === true));
  const paths = new Set([...(changed_paths ?? []), ...named]);
  return [...paths].toSorted().flatMap((path) => {
    // A masked text may be anything, also a path that the scope denies.
    const isHidden = named.has(path) && holdsMask(path);
    const why = isHidden ? phrased`whose name is masked, so that it cannot be judged` : outOfScope(path, scope);
    return why === null
      ? []
      : [
          {
            says: phrased`Expected changes inside the scope; found "${path}", ${why}.${ignoredByItself(path)}`,
            isScope: true,
          },
        ];
  });
}
