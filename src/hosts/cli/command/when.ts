/**
 * A moment as people write it (CLI-270): `2h`, `yesterday`, `mon 9:00`, `24 nov`, `2026-01-31 09:00`. Days and hours are those of this machine's
 * zone. Tools take RFC 3339 alone, so an agent far away means the same moment.
 */
import { TaskfoldError } from "../../../errors.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const WEEKDAY = /^(?:(sun|mon|fri)(?:day)?|(tue)(?:s|sday)?|(wed)(?:nesday)?|(thu)(?:rs?|rsday)?|(sat)(?:urday)?)$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAY_MONTH = new RegExp(String.raw`^(\d{1,2})\.? ${MONTH}\.?(?:,? (\d{4}))?$`);
const MONTH_DAY = new RegExp(String.raw`^${MONTH}\.? (\d{1,2})(?:,? (\d{4}))?$`);
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const AGO = /^(\d{1,6}) ?(m|min|mins|minute|minutes|h|hour|hours|d|day|days|w|week|weeks)(?: ago)?$/;
const RFC3339 = /^(\d{4}-\d\d-\d\d)t\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:\d\d)$/;

const WHEN = '2h, yesterday, "mon 9:00", "24 nov", 2026-01-31, "2026-01-31 9:00" or 2026-01-31T09:00:00Z';

/** Returns RFC 3339 in UTC. INVALID_INPUT says which forms there are. */
export function when(text: string): string {
  const moment = momentOf(text, new Date());
  if (moment !== undefined) return moment;
  throw new TaskfoldError("INVALID_INPUT", `Expected a time such as ${WHEN}.`);
}

/** As `when`, and a cursor or the id of an event stays as it is. Neither has a space, and both have at least 12 characters. */
export function whenOrCursor(text: string): string {
  const moment = momentOf(text, new Date());
  if (moment !== undefined) return moment;
  if (/^[\w-]{12,}$/.test(text)) return text;
  throw new TaskfoldError("INVALID_INPUT", `Expected a cursor, or a time such as ${WHEN}.`);
}

/** Undefined where the text is no time. `now` decides which Monday, and which 24 November: the last one that has begun. */
export function momentOf(given: string, now: Date): string | undefined {
  const text = given.trim().toLowerCase().replaceAll(/\s+/g, " ");
  const moment = text === "now" ? now : (absolute(text) ?? ago(text, now) ?? dayAndClock(text, now));
  const year = moment?.getUTCFullYear();
  // RFC 3339 has four digits for a year.
  return year !== undefined && year >= 0 && year <= 9999 ? moment?.toISOString() : undefined;
}

function absolute(text: string): Date | undefined {
  const [, date] = RFC3339.exec(text) ?? [];
  return date !== undefined && dateOf(date) ? new Date(text.toUpperCase()) : undefined;
}

function ago(text: string, now: Date): Date | undefined {
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const then = new Date(now);
  if (unit.startsWith("m")) then.setTime(now.getTime() - Number(count) * 60_000);
  else if (unit.startsWith("h")) then.setTime(now.getTime() - Number(count) * 3_600_000);
  // A day is not always 24 hours: where clocks change, the hour of the day stays.
  else then.setDate(then.getDate() - Number(count) * (unit.startsWith("w") ? 7 : 1));
  return then;
}

/** A day, a time of a day, or both. */
function dayAndClock(text: string, now: Date): Date | undefined {
  if (text === "") return undefined;
  const split = /[ t](?=\S*:)/.exec(text)?.index ?? (text.includes(":") ? -1 : text.length);
  const clock = text.slice(split + 1);
  const at = clock === "" ? [0, 0, 0] : clockOf(clock);
  if (at === undefined) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = at;
  const on = ({ y, m, d }: Day): Date => new Date(y, m, d, hours, minutes, seconds);
  const day = split === -1 ? "" : text.slice(0, split);
  const days = day === "" ? lately(now, 1, 2) : daysOf(day, now);
  return days.map(on).find((moment) => days.length === 1 || moment.getTime() <= now.getTime());
}

function clockOf(text: string): number[] | undefined {
  const [, ...parts] = CLOCK.exec(text) ?? [];
  return parts.length === 0 ? undefined : parts.map((part) => Number(part ?? 0));
}

interface Day {
  y: number;
  /** From 0. */
  m: number;
  d: number;
}

/** The days that the words may mean, the newest first. */
function daysOf(text: string, now: Date): Day[] {
  if (text === "today") return lately(now, 1, 1);
  if (text === "yesterday") return lately(now, 1, 2).slice(1);
  const weekday = WEEKDAY.exec(text)?.slice(1).find(Boolean);
  if (weekday !== undefined) {
    const back = (now.getDay() - DAYS.indexOf(weekday) + 7) % 7;
    return lately(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back), 7, 2);
  }
  const date = dateOf(text);
  if (date) return [date];
  const [, d, month, year] = DAY_MONTH.exec(text) ?? swapped(MONTH_DAY.exec(text)) ?? [];
  if (d === undefined || month === undefined) return [];
  const m = MONTHS.indexOf(month.slice(0, 3));
  // 29 February is at most eight years away.
  const years = year === undefined ? Array.from({ length: 9 }, (_, i) => now.getFullYear() - i) : [Number(year)];
  return years.map((y) => ({ y, m, d: Number(d) })).filter(isThere);
}

function swapped(found: RegExpExecArray | null): (string | undefined)[] | undefined {
  return found ? [found[0], found[2], found[1], found[3]] : undefined;
}

/** So many days, each `step` days before the one before it. */
function lately(from: Date, step: number, count: number): Day[] {
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(from.getFullYear(), from.getMonth(), from.getDate() - i * step);
    return { y: day.getFullYear(), m: day.getMonth(), d: day.getDate() };
  });
}

function dateOf(text: string): Day | undefined {
  const [, y, m, d] = DATE.exec(text) ?? [];
  const day = { y: Number(y), m: Number(m) - 1, d: Number(d) };
  return isThere(day) ? day : undefined;
}

/** Whether the calendar has the day: `Date` makes 2 March of 30 February. */
function isThere({ y, m, d }: Day): boolean {
  const day = new Date(y, m, d);
  return y >= 1000 && day.getMonth() === m && day.getDate() === d;
}
