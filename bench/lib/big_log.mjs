import { sealOp } from "../../dist/log/envelope.js";
import { creation } from "./creation.mjs";

const STEPS = 100;
const stepId = (n) => `STEP-${n.toString(16).toUpperCase().padStart(8, "0")}`;
const time = (n) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();

/** The events of an agent at work: mostly notes, then confirmations, definitions and edits. */
function draft(n) {
  const step_id = stepId(n % STEPS);
  switch (n % 10) {
    case 3:
      return {
        type: "step.verified",
        payload: { step_id, checkpoints: { criteria: true, tests: n % 20 === 3 }, message: "Verified the step." },
      };
    case 6:
      return {
        type: "step.defined",
        payload: { step_id, success_criteria: [`it works the ${n}th time`], message: "Defined the step." },
      };
    case 9:
      return {
        type: "task.edited",
        payload: { patch: { priority: n % 20 === 9 ? "HIGH" : "LOW" }, message: "Edited the task." },
      };
    default:
      return { type: "step.noted", payload: { step_id, note: `Note ${n}: short.`, message: "Noted." } };
  }
}

/** The n-th card, which supports the one before it. */
function card(n) {
  const cardId = (i) => `CARD-${i.toString(16).toUpperCase().padStart(8, "0")}`;
  return {
    type: "card.added",
    payload: {
      card_id: cardId(n),
      stage: n % 5 === 4 ? "decision" : "evidence",
      title: `Card ${n}`,
      text: `Seen in run number ${n} today.`,
      status: "open",
      tags: [],
      supports: n === 0 ? [] : [cardId(n - 1)],
      message: "Saw.",
    },
  };
}

/** Cards at the beginning, so that every length has as many to show as fit a page. */
const CARDS = 25;

/** A straight log of about `events` events of about 330 bytes each; with `thoughts` it holds cards, a few at any length. */
export function bigLog(events, { thoughts = false } = {}) {
  const steps = Array.from({ length: STEPS }, (_, i) => ({
    id: stepId(i),
    title: `Step ${i}`,
    success_criteria: ["it works"],
    tests: [],
    blockers: [],
  }));
  const parts = [];
  let heads = [];
  let seq = 0;
  const add = (n, drafts) => {
    const { events: sealed, bytes } = sealOp({
      taskId: "TASK-001",
      by: "agent:w1",
      ts: time(n),
      tool: "tasks_note",
      opId: n.toString(16).padStart(16, "0"),
      heads,
      seq,
      drafts,
    });
    heads = [sealed.at(-1).hash];
    seq += drafts.length;
    parts.push(bytes);
  };
  add(0, [creation("A long task"), { type: "steps.added", payload: { parent: null, steps, message: "Added." } }]);
  const isCard = (n) => thoughts && (n <= CARDS || n % 500 === 0);
  let cards = 0;
  for (let n = 1; n < events - 1; n++) add(n, [isCard(n) ? card(cards++) : draft(n)]);
  return Buffer.concat(parts);
}
