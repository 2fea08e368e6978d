const UNITS = [
  [86_400, "day"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

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
