/** Bytes that must be durable before the event that names them. */
export interface Blob {
  sha256: string;
  bytes: Uint8Array;
}

/** A file of the task folder that must be durable before the event that names it: its bytes, or the file that gets its name. */
export type Content = { path: string; bytes: Uint8Array } | { path: string; from: string };
