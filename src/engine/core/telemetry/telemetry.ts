/** Metrics and traces of the engine. A host implements the port: the engine knows no exporter (OTEL rules). */
export interface TelemetryPort {
  /** A call begins. Calls `run` once, before it returns: what `run` begins belongs to this call. */
  readonly call: (tool: string, run: () => void) => (outcome: CallOutcome) => void;
  /** A lock was not free, and a writer waits for it. */
  readonly lockWait: (lock: string) => (outcome: LockWaitOutcome) => void;
  /** The disk is asked to keep what was written. */
  readonly sync: (of: SyncOf) => (outcome: SyncOutcome) => void;
  /** A message goes to the log that several machines share. */
  readonly publish: (message: { readonly bytes: number }) => (outcome: PublishOutcome) => void;
  /** So many events went into logs in one write. */
  readonly written: (events: number) => void;
}

/** The part of a reply that tells how its call ended. */
export interface CallOutcome {
  readonly success: boolean;
  readonly error: { readonly code: string } | null;
}

export type LockWaitOutcome = "acquired" | "not acquired";
/** The data of a file, all of a file, or the names in a folder. */
export type SyncOf = "data" | "file" | "folder";
export type SyncOutcome = "synced" | "failed";
/** As the shared log answers; `failed` if it refuses the message for another reason. */
export type PublishOutcome = "accepted" | "lost" | "absent" | "unknown" | "failed";
