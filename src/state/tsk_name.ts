/**
 * Tells the names of a Taskdoc package. It knows every spelling under which some file system, some program or a hurried
 * reader would take one for it. Names only; nothing here touches a disk.
 */

/** The end of a package's name. */
const SUFFIX = ".tsk";

/**
 * Characters that are read or stored as one that matters here, beyond those that compatibility decomposition finds.
 * They are letters of other scripts with the same shape, and strokes and hooks that old code pages drop. Signs that old
 * code pages keep as `\` are among them.
 */
const LOOK_ALIKES: readonly (readonly [plain: string, others: string])[] = [
  [".", "\u00B7\u0660\u06F0\u0701\u0702\u3002\uA4F8\uA60E\u{10A50}"],
  ["t", "\u0167\u01AB\u01AD\u0288\u03C4\u0442\u13A2\u1D1B\u22A4\u27D9\u2CA7\uA4D4\u{16F0A}"],
  ["s", "\u01BD\u0455\u057F\u13D5\u13DA\uA4E2\uA731\u{10296}\u{10448}"],
  ["k", "\u0199\u03BA\u043A\u13E6\u1D0B\u2C95\uA4D7\u{10518}"],
  ["/", "\\\u00A5\u2044\u20A9\u2215\u2216\u2571\u2572\u29F5\u29F8\u29F9"],
  [":", "\u02D0\u05C3\u2236\uA789"],
];

const PLAIN = new Map(
  LOOK_ALIKES.flatMap(([plain, others]) => Array.from(others, (other) => [other.toLowerCase(), plain] as const)),
);

/** Accents, and what is not seen or has no meaning anywhere: joiners, controls, private use, unassigned, half surrogates. */
const UNSEEN = /[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** Everything but printable ASCII. */
const NOT_ASCII = /[^\x20-\x7e]/;

/** The text with one spelling for everything that may be taken for the same; `/` between segments. */
function plain(text: string): string {
  // Nearly every path there is: as one step, since a guard is asked before each file is opened.
  if (!NOT_ASCII.test(text)) return text.toLowerCase().replaceAll("\\", "/");
  const folded = text.normalize("NFKD").replace(UNSEEN, "").toLowerCase();
  return Array.from(folded, (char) => PLAIN.get(char) ?? char).join("");
}

/** One segment as `plain` leaves it. Windows drops dots and blanks at the end, and puts a drive or a stream beside a colon. */
function isPlainPackage(segment: string): boolean {
  return segment.includes(SUFFIX) && segment.split(":").some((part) => /\.tsk[.\s]*$/.test(part));
}

/** The segments of a path that say something, each with whether it is a package. */
export function segmentsOf(path: string): { name: string; isPackage: boolean }[] {
  return plain(path)
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .map((name) => ({ name, isPackage: isPlainPackage(name) }));
}

/**
 * Returns whether a path, by its letters alone, names a Taskdoc package (`*.tsk`), something inside of one, or goes
 * through one. This is the quick half of `isEncapsulatedPath`, which also looks at links and at the disk.
 *
 * @param path as a tool would open it; both `/` and `\` separate. Absolute or relative, of POSIX or of Windows.
 * @returns true when one segment is the name of a package by letter case, look-alikes, accents, or characters that are
 * not seen. The same holds for dots or blanks at its end, a drive, a stream, a path with NUL, and a value that is no
 * string. Never throws. Rules GUARD-1 (spec/guard.md).
 */
export function isEncapsulatedPathLexical(path: string): boolean {
  if (typeof path !== "string" || path.includes("\0")) return true;
  return segmentsOf(path).some(({ isPackage }) => isPackage);
}
