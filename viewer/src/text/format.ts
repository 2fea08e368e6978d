/** Numbers and moments as the reader's language and zone write them. */

const dates = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = dates.get(`${locale} ${key}`);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  dates.set(`${locale} ${key}`, made);
  return made;
}

/** With seconds and the zone: what stands in the title of a time. */
export function exactTime(ts: string, locale: string): string {
  return formatted(ts, locale, "exact", { dateStyle: "long", timeStyle: "long" });
}

/** The last moment that a date can stand for, in milliseconds; the first is as far on the other side. */
export const LAST = 8.64e15;

/** An end of an axis: a packet of another program may bring it past the last moment that there is. */
export function shortMoment(ms: number, locale: string): string {
  return shortTime(new Date(Math.min(Math.max(ms, -LAST), LAST)).toISOString(), locale);
}

export function shortTime(ts: string, locale: string): string {
  return ofItsYear(ts, locale, "short", { hour: "2-digit", minute: "2-digit" });
}

export function shortDay(ts: string, locale: string): string {
  return ofItsYear(ts, locale, "short day", {});
}

/** With the year where it is not the present one of the reader. */
function ofItsYear(ts: string, locale: string, key: string, options: Intl.DateTimeFormatOptions): string {
  const day = { month: "short", day: "numeric", ...options } as const;
  const isThisYear = new Date(ts).getFullYear() === new Date().getFullYear();
  return isThisYear
    ? formatted(ts, locale, key, day)
    : formatted(ts, locale, `${key} of a year`, { year: "numeric", ...day });
}

export function clockTime(ts: string, locale: string): string {
  return formatted(ts, locale, "clock", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A day of the log, `2026-11-23`, which is one of UTC: it is the same day in every zone. */
export function dayOf(day: string, locale: string): string {
  const options = { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" } as const;
  return formatted(`${day}T12:00:00Z`, locale, "day", options);
}

/** A folder of another program may hold what is no time: it is shown as it stands. */
function formatted(ts: string, locale: string, key: string, options: Intl.DateTimeFormatOptions): string {
  const time = Date.parse(ts);
  return Number.isNaN(time) ? ts : formatter(locale, key, options).format(time);
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** `3 minutes ago` */
export function relativeTime(ts: string, now: number, locale: string): string {
  const time = Date.parse(ts);
  if (Number.isNaN(time)) return ts;
  const seconds = (time - now) / 1000;
  const words = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  return words.format(0, "second");
}

/** `1 h 5 min` without words: `1:05:00`, and `12 s` below a minute. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)} h` : `${minutes}:${two(rest)} min`;
}

export function bytes(size: number, locale: string): string {
  const units = ["B", "kB", "MB", "GB"];
  let [value, unit] = [size, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value.toLocaleString(locale, { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${units[unit]}`;
}
