// @ts-check
// Makes output stable from run to run: each pattern keeps the length of its match, so that columns stay where they are.

/** @type {[RegExp, string][]} what it is, and the sign that takes the place of its characters */
const SAME_LENGTH = [
  // Times, also those that the width of the terminal cut.
  [/\b20\d\d-\d[\dT:.-]*/g, "0"],
  [/\b\d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|MMM) \d\d:\d\d\b/g, "00 MMM 00:00"],
  [/\b\d(?=\s+min\s+ago\b)|(?<=\bin )\d{1,3}(?= (?:min|h|days?)\b)/g, "0"],
  // Ids of steps.
  [/(?<=\bSTEP-)[0-9A-F]{1,8}\b/g, "#"],
  // Ids of evidence.
  [/(?<=\b(?:cmd|file|log)-)(?:[0-9a-f]{20}|[0-9a-f]{8})(?=-\d)/g, "#"],
  // The folder that the run was made in.
  [/(?<=taskfold-e2e-cli-)[A-Za-z0-9]{6}/g, "#"],
  // Digests and commits.
  [/\b(?=[a-f]*\d)[0-9a-f]{40,64}\b/g, "#"],
  [/\b(?=[a-f]*\d)(?:[0-9a-f]{7,12}|[0-9a-f]{20})\b/g, "#"],
  // Fingerprints of keys.
  [/(?<=SHA256:)[A-Za-z0-9+/]{1,43}/g, "#"],
  // Cursors and ids of events.
  [/(?<=--(?:since|before|op) )[A-Za-z0-9_-]{22,200}/g, "#"],
];

/** In lines without columns, where the length may differ, too. @type {[RegExp, string][]} */
const NAMED = [
  [/(?<=http:\/\/127\.0\.0\.1:)\d+\/\?token=[A-Za-z0-9_-]+/g, "<port>/?token=<token>"],
  [/^\d+ files, \d+ bytes$/gm, "<n> files, <n> bytes"],
  // How long a stage took, which may be ten seconds on a slow machine.
  [/(?<= completed \()\d+(?=s\)$)/gm, "0"],
];

/** @param {string} text @param {Record<string, string>} names what stands for a path of this machine */
export function masked(text, names) {
  let shown = text;
  for (const [path, name] of Object.entries(names)) shown = shown.replaceAll(path, name);
  for (const [pattern, name] of NAMED) shown = shown.replace(pattern, name);
  for (const [pattern, sign] of SAME_LENGTH) shown = shown.replace(pattern, (found) => signed(found, sign));
  return shown;
}

/** @param {string} found @param {string} sign */
function signed(found, sign) {
  if (sign.length === found.length) return sign;
  return sign === "0" ? found.replace(/\d/g, "0") : sign.repeat(found.length);
}

/** Without the lines that say how far a command is, which a slow machine alone shows. @param {string} err */
export function withoutProgress(err) {
  return err.replace(/^(?:adopt|archive|close|export|import|rebuild|resolve|verify): \d+ of \d+\n/gm, "");
}
