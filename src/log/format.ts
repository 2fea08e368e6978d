/** The version of the log that this release writes: `v` of each line (LOG-64). */
export const FORMAT = 1;
