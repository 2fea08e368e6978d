const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const MINUTES_PER_DAY = 1440;

/**
 * Returns an RFC 3339 time in UTC with exactly nine fractional digits, so that text order is time order (LOG-18). Null
 * when the text is no such time or leaves the years 0000 to 9999. Digits past the ninth are dropped, a second 60 stays
 * 60. Offsets are whole minutes, so seconds and fraction pass through as text and only the minutes are counted.
 */
export function utcNanos(text: string): string | null {
  const m = RFC3339.exec(text);
  if (m === null) return null;
  const [year, month, day] = [Number(m[1]), Number(m[2]), Number(m[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  const seconds = `${m[6]}.${(m[7] ?? "").slice(0, 9).padEnd(9, "0")}Z`;
  const offset = m[8] === undefined ? 0 : (m[8] === "-" ? -1 : 1) * (Number(m[9]) * 60 + Number(m[10]));
  const minutes = Number(m[4]) * 60 + Number(m[5]) - offset;
  const date =
    minutes < 0
      ? dayBefore(year, month, day)
      : minutes >= MINUTES_PER_DAY
        ? dayAfter(year, month, day)
        : [year, month, day];
  const [y = 0, mo = 0, d = 0] = date;
  if (y < 0 || y > 9999) return null;
  const ofDay = (minutes + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  return `${digits(y, 4)}-${digits(mo, 2)}-${digits(d, 2)}T${digits(Math.floor(ofDay / 60), 2)}:${digits(ofDay % 60, 2)}:${seconds}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function dayBefore(year: number, month: number, day: number): number[] {
  if (day > 1) return [year, month, day - 1];
  return month > 1 ? [year, month - 1, daysInMonth(year, month - 1)] : [year - 1, 12, 31];
}

function dayAfter(year: number, month: number, day: number): number[] {
  if (day < daysInMonth(year, month)) return [year, month, day + 1];
  return month < 12 ? [year, month + 1, 1] : [year + 1, 1, 1];
}
