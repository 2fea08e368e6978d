/** Folders of every entity. git keeps no empty ones, so they may be missing later without harm (DIR-3). */
export const SKELETON_FOLDERS = ["shared", "agents", "shared/evidence"] as const;

/** Files that belong to people: written once, then theirs (DIR-24). Path from the entity's folder to first text. */
export const SKELETON: Readonly<Record<string, string>> = {
  "shared/human-notes.md":
    "# Human notes\n\n- Write corrections and missing information here; the next change reads it in.\n",
  "shared/context-manifest.yaml": "attachments: []\n",
};
