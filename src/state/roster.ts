import type { Agent, AgentWord } from "./entity.ts";
import { AGENT_WORDS } from "./entity.ts";

/** A roster entry's state in Coco's task file. */
export type RosterState = Agent["state"] | AgentWord;

/**
 * Returns the state that task.yaml shows. Coco fails an `active` entry without a live process, so that word is written
 * only where Coco's own task file had it. Coco leaves `awaiting` as it is (DIR-16).
 */
export function rosterState({ state, word }: Pick<Agent, "state" | "word">): RosterState {
  return state === "active" ? (word ?? "awaiting") : state;
}

/** Returns what the state keeps of Coco's word. */
export function agentStateOf(shown: string): Pick<Agent, "state" | "word"> {
  if (shown === "completed" || shown === "failed" || shown === "awaiting") return { state: shown };
  const word = AGENT_WORDS.find((one) => one === shown);
  return word === undefined ? { state: "active" } : { state: "active", word };
}
