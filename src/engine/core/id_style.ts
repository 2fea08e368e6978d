/** How ids of plans and tasks are made. */
export const ID_STYLES = ["sequential", "suffixed"] as const;
export type IdStyle = (typeof ID_STYLES)[number];
