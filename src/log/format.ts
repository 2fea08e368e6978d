/** The version of the log that this release writes: `v` of each line (LOG-15). */
export const FORMAT = 1;
