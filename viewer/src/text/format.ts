/** Numbers and moments as the reader's language and zone write them. */

const dates = new Map<string, Intl.DateTimeFormat>();
const spans = new Map<string, Intl.RelativeTimeFormat>();

/**
 * Makes the formatters of numbers and moments. The first ones take a browser up to a tenth of a second: less time than a page waits for
 * its first answer.
 */
export function prepareFormats(locale: string): void {
  const now = new Date();
  exactTime(now.toISOString(), locale);
  relativeTime(now.toISOString(), now.getTime(), locale);
  (1000).toLocaleString(locale);
}

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

/** Minutes tell nothing apart on an axis that is shorter. */
const SHORT_AXIS_MS = 3 * 60_000;

/** A place on an axis of that length: a packet of another program may bring it past the last moment that there is. */
export function axisMoment(ms: number, length: number, locale: string): string {
  const ts = new Date(Math.min(Math.max(ms, -LAST), LAST)).toISOString();
  return length < SHORT_AXIS_MS ? clockTime(ts, locale) : shortTime(ts, locale);
}

export function shortTime(ts: string, locale: string): string {
  return ofItsYear(ts, locale, "short", { hour: "2-digit", minute: "2-digit" });
}

/** A date in small letters, as people write it: `24 november`, `nov 24`, `tuesday`, `2026-11-24`. */
export function datesOf(ts: string, locale: string): string[] {
  const dayFirst = { weekday: "long", day: "numeric", month: "long" } as const;
  return [
    dayAndTime(ts, locale),
    exactTime(ts, locale),
    formatted(ts, "en-GB", "day first", dayFirst),
    ts.slice(0, "2026-11-24".length),
  ].map((date) => date.toLowerCase());
}

/** With the day of the week, as people name a moment that they look back to. */
export function dayAndTime(ts: string, locale: string): string {
  return ofItsYear(ts, locale, "day and time", { weekday: "short", hour: "2-digit", minute: "2-digit" });
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

/** The day of the reader's zone in which a time lies, as `2026-11-23`. */
export function localDay(ts: string): string {
  const date = new Date(ts);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A day, `2026-11-23`, by its name alone: it is the same day in every zone. */
export function dayOf(day: string, locale: string): string {
  const options = { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" } as const;
  return formatted(`${day}T12:00:00Z`, locale, "day", options);
}

/** A day in few letters, with its day of the week. */
export function weekDay(day: string, locale: string): string {
  const options = { weekday: "short", month: "short", day: "numeric", timeZone: "UTC" } as const;
  return formatted(`${day}T12:00:00Z`, locale, "week day", options);
}

/** A folder of another program may hold what is no time: it is shown as it stands. */
function formatted(ts: string, locale: string, key: string, options: Intl.DateTimeFormatOptions): string {
  const time = Date.parse(ts);
  return Number.isNaN(time) ? ts : formatter(locale, key, options).format(time);
}

const DAY = 86_400;

/** From so many seconds on, how many of the unit lie between: of years, months and days those of the reader's calendar. */
const UNITS: [Intl.RelativeTimeFormatUnit, number, (from: Date, to: Date) => number][] = [
  ["year", 365 * DAY, (from, to) => to.getFullYear() - from.getFullYear()],
  ["month", 30 * DAY, (from, to) => 12 * (to.getFullYear() - from.getFullYear()) + to.getMonth() - from.getMonth()],
  ["day", DAY, (from, to) => (dayNumber(to) - dayNumber(from)) / DAY],
  ["hour", 3600, elapsed(3600)],
  ["minute", 60, elapsed(60)],
];

/** Seconds at which the same date begins in UTC, where each day is equally long. */
function dayNumber(of: Date): number {
  return Date.UTC(of.getFullYear(), of.getMonth(), of.getDate()) / 1000;
}

function elapsed(size: number): (from: Date, to: Date) => number {
  return (from, to) => Math.trunc((to.getTime() - from.getTime()) / 1000 / size);
}

/** `3 minutes ago`. `justNow`: the words of less than a minute, where those of the browser do not read well. */
export function relativeTime(ts: string, now: number, locale: string, justNow?: string): string {
  const time = Date.parse(ts);
  if (Number.isNaN(time)) return ts;
  const seconds = Math.abs(time - now) / 1000;
  const words = spans.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  spans.set(locale, words);
  for (const [unit, least, between] of UNITS) {
    const count = seconds >= least ? between(new Date(now), new Date(time)) : 0;
    if (count !== 0) return words.format(count, unit);
  }
  return justNow ?? words.format(0, "second");
}

/** Texts of durations in a language; minutes and seconds have two digits behind a larger unit. */
export interface DurationWords {
  /** Less than a second, and not known how much. */
  short: string;
  milliseconds: (milliseconds: string) => string;
  seconds: (seconds: string) => string;
  minutes: (minutes: string, seconds: string) => string;
  hours: (hours: string, minutes: string, seconds: string) => string;
}

/** `1:05:00 h`, `12 s` below a minute, `350 ms` below a second. Zero was written as whole seconds. */
export function duration(seconds: number, words: DurationWords): string {
  if (seconds === 0) return words.short;
  if (seconds < 1) return words.milliseconds(String(Math.max(1, Math.round(seconds * 1000))));
  if (seconds < 60) return words.seconds(String(seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)));
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  return hours > 0 ? words.hours(String(hours), two(minutes), two(rest)) : words.minutes(String(minutes), two(rest));
}

export function bytes(size: number, locale: string): string {
  const units = ["B", "kB", "MB", "GB"];
  let [value, unit] = [size, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value.toLocaleString(locale, { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${units[unit]}`;
}
