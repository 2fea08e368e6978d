const UNITS = [
  [86_400, "day"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** How far away a moment is, as `2 h` or `1 h 59 min`: to the nearest minute below six hours, hour below three days, and day beyond. */
export function aboutLength(seconds: number): string {
  const unit = seconds < 6 * 3600 ? 60 : seconds < 3 * 86_400 ? 3600 : 86_400;
  return lengthText(Math.max(1, Math.round(seconds / unit)) * unit);
}

/** `1 h 30 min`: whole seconds in days, hours, minutes and seconds, without those of which there are none. */
export function lengthText(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}${unit === "day" && count > 1 ? "s" : ""}`);
  }
  return parts.join(" ");
}
