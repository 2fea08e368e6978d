/** The parts of a packet's folder that an import took in. */
export interface Taken {
  manifest: boolean;
  /** From the packet's folder on. */
  inputs: string[];
  stages: { stage: string; done_at: string | null; ran: boolean }[];
  outputs: string[];
  override: string[] | null;
  /** Null: they are as the log has them, or the folder does not tell. */
  paid_calls_used: number | null;
  signatures: number | null;
  last_failure: string | null;
  /** Files that were deleted by hand, from the packet's folder on: stages opened again, inputs and commands taken away. */
  removed: string[];
}

/** A file, or a part of one, that stays outside. */
export interface NotTaken {
  /** From the folder on. */
  path: string;
  reason: string;
}
