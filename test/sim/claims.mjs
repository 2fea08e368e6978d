// @ts-check
/** Claims as the ops of a log have them. Says who held a step when another took it, and which claims met in a merge. */

/** @typedef {import("../../dist/log/types.js").Op} Op */
/** @typedef {Op["events"][number]} Event */
/** A claim of a step. `op`: where it stands in the order of replay. @typedef {{ op: number, event: Event, step: string, fence: number, expires: number }} Claim */

/** They leave each claim as it is. */
const HARMLESS = new Set(
  "lease.claimed task.created steps.added step.noted step.blocked step.unblocked step.verified evidence.captured task.edited notes.changed taskdoc.changed foreign.adopted log.gap trace.added report.generated".split(
    " ",
  ),
);

/** Ops before each op, as bits. @param {readonly Op[]} ops @returns {bigint[]} */
function ancestorsOf(ops) {
  const at = new Map(ops.map(({ last }, i) => [last, i]));
  /** @type {bigint[]} */
  const found = [];
  for (const { events } of ops) {
    let before = 0n;
    for (const prev of events[0]?.prev ?? []) {
      const i = at.get(prev);
      if (i !== undefined) before |= (found[i] ?? 0n) | (1n << BigInt(i));
    }
    found.push(before);
  }
  return found;
}

/** @param {Op} op @param {string} step */
function ends({ events }, step) {
  return events.some(
    ({ type, payload: { step_id: of } }) => !HARMLESS.has(type) && (of === undefined || of === null || of === step),
  );
}

/** @param {bigint} bits @param {number} at */
function has(bits, at) {
  return ((bits >> BigInt(at)) & 1n) === 1n;
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "string" ? value : "";
}

/** @param {readonly Op[]} ops @returns {Claim[]} */
function claimsOf(ops) {
  return ops.flatMap(({ events }, op) =>
    events
      .filter(({ type }) => type === "lease.claimed")
      .map((event) => {
        const { step_id: step, expires_at: expires, fence } = event.payload;
        return { op, event, step: textOf(step), fence: Number(fence), expires: Date.parse(textOf(expires)) };
      }),
  );
}

/** On each branch fences only grow, and no agent gets a step that another one holds. @param {readonly Op[]} ops @returns {string[]} sentences about those that do not */
export function wrongClaims(ops) {
  const claims = claimsOf(ops);
  if (claims.length < 2) return [];
  const before = ancestorsOf(ops);
  return claims.flatMap((claim) => {
    const own = before[claim.op] ?? 0n;
    const earlier = claims.filter((one) => one.step === claim.step && has(own, one.op));
    return earlier.flatMap((one) => {
      const { event, step, fence } = claim;
      if (fence <= one.fence) return [`[LEASE-3] ${step} was claimed with fence ${fence} after ${one.fence}`];
      // Where claims of branches met, the last in order holds.
      if (one !== earlier.at(-1)) return [];
      // The fold lets a release of another branch, behind the claim in order, end it as well.
      const isBehind = (/** @type {Op} */ { events }, /** @type {number} */ i) =>
        i > one.op && events.some(({ type }) => type === "lease.released");
      const isOver = ops.some(
        (op, i) => has(own, i) && (has(before[i] ?? 0n, one.op) || isBehind(op, i)) && ends(op, step),
      );
      if (isOver || one.event.by === event.by || Date.parse(event.ts) >= one.expires) return [];
      return [`[LEASE-1] ${step} was claimed by ${event.by} while ${one.event.by} held it`];
    });
  });
}

/**
 * Steps whose claims by different agents met in a merge, where no later op touched the claim (LEASE-9). The later in order holds.
 * @param {readonly Op[]} ops @returns {{ step: string, earlier: Claim, later: Claim }[]}
 */
export function metClaims(ops) {
  const claims = claimsOf(ops);
  if (claims.length < 2) return [];
  const before = ancestorsOf(ops);
  return claims.flatMap((later) =>
    claims
      .filter(({ step, op, event }) => step === later.step && op < later.op && event.by !== later.event.by)
      // A third claim of the step, behind both, decides.
      .filter(({ step }) => claims.findLast((one) => one.step === step) === later)
      .filter((earlier) => !has(before[later.op] ?? 0n, earlier.op))
      // On either branch, closing the step and ending the whole end the claim.
      .filter(
        ({ step }) => !ops.some((op) => ends(op, step) && op.events.some(({ type }) => type !== "lease.released")),
      )
      .filter((earlier) => {
        const sees = (/** @type {number} */ i) => has(before[i] ?? 0n, earlier.op) && has(before[i] ?? 0n, later.op);
        return !ops.some((op, i) => sees(i) && op.events.some(({ type }) => type.startsWith("lease.")));
      })
      .map((earlier) => ({ step: later.step, earlier, later })),
  );
}
