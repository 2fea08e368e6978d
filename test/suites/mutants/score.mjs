// @ts-check
// The scores of `npm run mutants`, by folder and in all.

/** Percent. */
export const LEAST_SCORE = 85;
/** A score of fewer mutants moves by too much from one sample to the next. */
export const ENOUGH = 100;

/** @typedef {{ fileName: string, status: string, statusReason?: string }} Mutant `fileName` is relative to the project, with slashes */
/** @typedef {{ name: string, score: number, counts: string, isJudged: boolean, isLow: boolean }} Score */

/**
 * Returns the score of each folder that has mutants, and of all. A folder with few mutants is not judged.
 * @param {readonly Mutant[]} mutants @param {readonly string[]} folders @returns {Score[]}
 */
export function scoresOf(mutants, folders) {
  const tried = mutants.filter((mutant) => mutant.status !== "Ignored" || isConstant(mutant));
  const own = folders.map((name) => ({ name, of: tried.filter(({ fileName }) => fileName.startsWith(`${name}/`)) }));
  const scores = own.filter(({ of }) => of.length > 0).map(({ name, of }) => scoreOf(name, of, ENOUGH));
  return [...scores, scoreOf("in all", tried, 0)];
}

/** A timeout is noticed as well. @param {string} name @param {readonly Mutant[]} mutants @param {number} enough @returns {Score} */
function scoreOf(name, mutants, enough) {
  /** @param {string} wanted */
  const counted = (wanted) => mutants.filter(({ status }) => status === wanted).length;
  const [killed = 0, timeout = 0, missed = 0, unreached = 0] = ["Killed", "Timeout", "Survived", "NoCoverage"].map(
    counted,
  );
  const tried = killed + timeout + missed + unreached;
  const score = tried === 0 ? 0 : (100 * (killed + timeout)) / tried;
  const isJudged = tried >= enough;
  const left = `${mutants.filter(isConstant).length} of constants left out`;
  const counts = `${killed} killed, ${timeout} timed out, ${missed} not noticed, ${unreached} that no test reaches; ${left}`;
  return { name, score, counts, isJudged, isLow: isJudged && score < LEAST_SCORE };
}

/** Whether `ignoreStatic` left it out: the module runs it once, when it loads. @param {Mutant} mutant */
function isConstant({ statusReason }) {
  return statusReason?.startsWith("Static mutant") ?? false;
}
