/** Whom this machine trusts. A host implements it: the engine starts no processes. */
import type { Judge } from "../../attest/vouched.ts";

export interface SignersPort {
  /** Judges one signature, by the keys that are trusted now. */
  judge: Judge;
  /** Lets go of what the questions needed. */
  end: () => void;
}
