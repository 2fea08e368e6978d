/**
 * Whether git takes the bytes of our files as they are, and merges them as it should. If there is git, its answer counts, and else
 * the text of `.coco/.gitattributes` (DIR-60).
 */
import type { Disks } from "../../disks.ts";
import { isTaskfoldError } from "../../errors.ts";
import { askedLogs, askedPaths, judgeAnswers, JUDGED_ATTRIBUTES } from "../../files/attributes.ts";
import type { WrongAttribute } from "../../files/attributes.ts";
import { attributesMissing, wouldComplete } from "../../files/committed.ts";
import { Layout } from "../../files/layout.ts";
import { counted } from "../../state/counted.ts";
import type { EngineContext } from "../core/context.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import type { GitPort } from "../core/git_port.ts";
import { isOverviewOn } from "../projection/overview.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

type OnDisk = Pick<EngineContext, "disk" | "layout">;

const FILE = ".coco/.gitattributes";
/** Wrong answers that one finding names. */
const MAX_NAMED = 3;

/** An id that no folder has: a pattern answers for it as for every other one. */
const ANY_ID = "any-id";

/** Wrong answers, and the files that count more than ours and may say so. */
interface Judged {
  wrong: WrongAttribute[];
  over: string[];
}

/** `ids`: the plans and tasks whose logs git is asked for, each by itself. @internal */
export function judgeAttributes(context: OnDisk, git: GitPort | undefined, ids: readonly string[]): Judged {
  const isOn = isOverviewOn(context);
  const byText = (): Judged => ({ wrong: attributesMissing(context.disk, context.layout, isOn), over: [] });
  if (!git) return byText();
  try {
    const over = git.attributeFilesOver(".coco");
    // Such a file below the folder of one entity says something of that one alone.
    const own = over.flatMap((path) => /^\.coco\/(?:tasks|archive)\/([^/]+)\/./.exec(path)?.[1] ?? []);
    const paths = [...new Set([...[ANY_ID, ...own].flatMap(askedPaths), ...ids.flatMap(askedLogs)])];
    const fromGit = git.attributes(
      paths.map((path) => `.coco/${path}`),
      JUDGED_ATTRIBUTES,
    );
    const answers = new Map([...fromGit].map(([path, values]) => [path.replace(/^\.coco\//, ""), values]));
    return { wrong: judgeAnswers(answers, isOn), over };
  } catch (e) {
    // A git that does not answer says nothing of attributes either.
    if (!isTaskfoldError(e)) throw e;
    return byText();
  }
}

/** The same for a host that has no open workspace; nothing where the root has no `.coco`. @internal */
export function attributeFindingsAt(disks: Disks, root: string, git: GitPort | undefined): Finding[] {
  const { disk, release } = disks.below(root);
  try {
    const layout = new Layout(root);
    return disk.lstat(layout.coco)?.kind === "folder" ? attributeFindings({ disk, layout }, git, []) : [];
  } finally {
    release();
  }
}

/** @internal */
export function attributeFindings(context: OnDisk, git: GitPort | undefined, ids: readonly string[]): Finding[] {
  const { wrong, over } = judgeAttributes(context, git, ids);
  const faults = wrong.filter(({ info }) => !info);
  const faulty = new Set(faults.map(({ pattern }) => pattern));
  // A line that merges need is told once, with all that it says.
  const notes = wrong.filter(({ info, pattern, isFolding }) => info && (isFolding || !faulty.has(pattern)));
  const expected = git ? "Expected git to say" : "Expected the lines to say";
  return [...found(context, faults, expected, over), ...found(context, notes, expected, over).map(note)];
}

function found(
  { disk, layout }: OnDisk,
  wrong: readonly WrongAttribute[],
  expected: string,
  over: readonly string[],
): Finding[] {
  if (wrong.length === 0) return [];
  const named = wrong
    .slice(0, MAX_NAMED)
    .map(
      ({ pattern, attribute, expected: wanted, found: actual }) =>
        `${attribute} ${wanted} of ${pattern}, found ${actual}`,
    );
  const more = wrong.length > MAX_NAMED ? `; and ${counted(wrong.length - MAX_NAMED, "more answer")} like it` : "";
  const canAdd = wouldComplete(disk, layout, new Set(wrong.map(({ pattern }) => pattern)));
  const next =
    canAdd || over.length === 0
      ? remedy`${TASKFOLD} doctor --fix adds the lines.`
      : remedy`The lines are there, but ${over.slice(0, MAX_NAMED).join(" or ")} counts more: take it out there.`;
  const file = canAdd ? FILE : (over[0] ?? FILE);
  return [wholeFile("ATTRIBUTES_MISSING", file, `${expected} ${named.join("; ")}${more}.`, next)];
}
