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
function frees({ events }, step) {
  return events.some(
    ({ type, payload: { step_id: of } }) =>
      !HARMLESS.has(type) && type !== "lease.released" && (of === undefined || of === null || of === step),
  );
}

/** @param {Op} op @param {Claim} claim */
function ends(op, claim) {
  return frees(op, claim.step) || op.events.some((event) => releases(event, claim));
}

/** @param {Event} event @param {Claim} claim */
function releases({ type, payload: { step_id: step, claim: named } }, { event, step: of, fence }) {
  const { by, fence: number } = /** @type {{ by?: string, fence?: number }} */ (named ?? {});
  return type === "lease.released" && step === of && by === event.by && number === fence;
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
      if (fence <= one.fence) return [`[LEASE-2] ${step} was claimed with fence ${fence} after ${one.fence}`];
      // One holder may take a step on two branches with one number: that is one claim, and the last in order says when it ends.
      if (earlier.some((later) => later.op > one.op && later.event.by === one.event.by && later.fence === one.fence))
        return [];
      const isOver = ops.some((op, i) => has(own, i) && i !== one.op && !has(before[one.op] ?? 0n, i) && ends(op, one));
      if (isOver || one.event.by === event.by || Date.parse(event.ts) >= one.expires) return [];
      return [`[LEASE-1] ${step} was claimed by ${event.by} while ${one.event.by} held it`];
    });
  });
}

/**
 * Steps of which branches say different things (LEASE-9): one agent claimed it, and on another branch another did or the claim ended. No op that saw both
 * touched the claim since. No branch closed the step or ended the whole, for that ends each claim.
 * `standing`: the claims that no release has ended, the last in order first (LEASE-9).
 * @param {readonly Op[]} ops @returns {{ step: string, claims: Claim[], standing: Claim[] }[]}
 */
export function metClaims(ops) {
  const claims = claimsOf(ops);
  if (claims.length === 0) return [];
  const before = ancestorsOf(ops);
  return [...new Set(claims.map(({ step }) => step))].flatMap((step) => {
    if (ops.some((op) => frees(op, step))) return [];
    const touches = ops.flatMap(({ events }, op) =>
      events.some(({ type, payload }) => type.startsWith("lease.") && textOf(payload["step_id"]) === step) ? [op] : [],
    );
    const open = touches.filter((op) => !touches.some((later) => has(before[later] ?? 0n, op)));
    const own = claims.filter((claim) => claim.step === step && open.includes(claim.op));
    const agents = new Set(own.map(({ event }) => event.by));
    if (own.length === 0 || (agents.size === 1 && own.length === open.length)) return [];
    const isOver = (/** @type {Claim} */ claim) =>
      ops.slice(claim.op + 1).some(({ events }) => events.some((event) => releases(event, claim)));
    return [{ step, claims: own, standing: claims.filter((one) => one.step === step && !isOver(one)).toReversed() }];
  });
}
