/** Names the export that an answer is part of. */
export interface ExportNote {
  exported_at: string | null;
  only: string | null;
}

/** Of an answer that a server gives. */
export const SERVED: ExportNote = { exported_at: null, only: null };
