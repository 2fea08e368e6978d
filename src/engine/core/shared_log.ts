/**
 * The log that several machines share, as the engine sees it. A host implements it: the engine opens no connection (SHARED rules).
 * Messages have sequence numbers without gaps, and one that is stored stays.
 */
import type { Bytes } from "../../global_types.ts";
import type { IdStyle } from "./id_style.ts";

/** `strict`: a change counts once the shared log has it. `merge`: once this machine has it; the shared log follows. */
export const SHARED_MODES = ["strict", "merge"] as const;
export type SharedMode = (typeof SHARED_MODES)[number];

/** `on_demand`: a machine fetches bytes that events name when a call looks at them. `all`: behind every change that names some. */
export const SHARED_BLOBS = ["on_demand", "all"] as const;
export type SharedBlobs = (typeof SHARED_BLOBS)[number];

/** Id of the message with which a shared log begins. It is about no plan or task. */
export const WORKSPACE_MESSAGE = "taskfold-workspace";

export interface SharedLogPort {
  readonly mode: SharedMode;
  readonly blobs: SharedBlobs;
  /** Where it is, for messages to people: without passwords. */
  readonly address: string;
  /** SHARED_UNAVAILABLE where no server answers, SHARED_DENIED where they do not let this machine in. */
  connect: (workspace: string) => Promise<SharedLog>;
}

export interface SharedLog {
  /** Most bytes of a message's body. */
  readonly mostBytes: number;
  /** Whether a server can be asked at this moment. */
  readonly connected: boolean;
  /** The error for callers while the servers do not let this machine in; else undefined. */
  readonly refusal: unknown;
  /** Grows when it may have become another log: a connection was lost, a reader ended, or no server has it. */
  readonly doubts: number;
  /** Null before its first `create`. SHARED_UNAVAILABLE where no server answers. */
  state: () => Promise<SharedState | null>;
  /** Makes it, or finds it made. */
  create: (about: SharedAbout) => Promise<SharedState>;
  /** Stores the message if the last sequence number is `expected`. */
  publish: (message: OutgoingMessage, expected: number) => Promise<Published>;
  /**
   * Messages behind `after` up to `upTo`, in order. `leader`: the leader alone is asked, one by one. Else a server may give many, from a
   * copy that has others where it was cut off.
   */
  read: (after: number, upTo: number, from?: "leader") => AsyncIterable<SharedMessage>;
  /** Tells of messages behind `after` as they come, perhaps one more than once, and not of its own. Gives what ends it. */
  follow: (after: number, tell: (message: SharedMessage) => void) => () => void;
  /** Tells each time that a server can be asked again which could not. */
  whenBack: (tell: () => void) => void;
  /** Keeps bytes under their SHA-256, in hexadecimal digits, whatever is there now. */
  putBlob: (sha256: string, bytes: Uint8Array) => Promise<void>;
  /** Whether all of them are there, as far as that is known without reading them. */
  hasBlob: (sha256: string) => Promise<boolean>;
  /** Undefined where they are not there, or others are. The caller checks the digest. */
  getBlob: (sha256: string) => Promise<Bytes | undefined>;
  close: () => Promise<void>;
}

/** Which workspace a shared log is of, and how its ids are made. */
export interface SharedAbout {
  workspace: string;
  ids: IdStyle;
}

export interface SharedState {
  /** Another one after the log was deleted and made again. */
  identity: string;
  about: SharedAbout;
  /** Sequence numbers; `last` is 0 and `first` is 1 while it is empty. */
  first: number;
  last: number;
}

export interface OutgoingMessage {
  /** Equal for equal bodies: a message that is sent twice is stored once. */
  id: string;
  /** The last word of its subject: the plan or task that it is about. */
  topic: string;
  /** Of a body in several messages: `2/3`. */
  part?: string;
  /** Mark of the message that it is decided on; left out where that is not known. */
  behind?: string;
  headers: Readonly<Record<string, string>>;
  body: Bytes;
}

export interface SharedMessage {
  seq: number;
  id: string;
  part: string | undefined;
  /** Mark of the message before it, as its sender knew it. */
  behind?: string | undefined;
  body: Bytes;
}

/**
 * `lost`: another message was stored first, and `last` is the last sequence number now. `absent`: no server could take it, and it is
 * not stored. `unknown`: no answer came, so it may be stored, or may be soon.
 */
export type Published =
  | { kind: "accepted"; seq: number }
  | { kind: "lost"; last: number }
  | { kind: "absent"; why: string }
  | { kind: "unknown"; why: string };
