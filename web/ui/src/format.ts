/** Times, ages and numbers in the language of the page. */
import { language, t } from "./i18n";

const MINUTE = 60;
const DAY = 86400;
const DAYS: [number, Intl.RelativeTimeFormatUnit][] = [[365, "year"], [30, "month"], [1, "day"]];
const SECONDS: [number, Intl.RelativeTimeFormatUnit][] = [[3600, "hour"], [MINUTE, "minute"]];

/** The memory's time zone: in it days are counted and meant, as in the block that a model gets. */
let memoryZone: string | undefined;

export function setZone(name: string): void {
  memoryZone = isZone(name) ? name : undefined;
}

function isZone(name: unknown): name is string {
  try {
    return typeof name === "string" && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** Where something happened, if the record says it; else where the memory is. */
function zoneOf(data: Record<string, unknown> | undefined): string | undefined {
  const own = data?.["timezone"];
  return isZone(own) ? own : memoryZone;
}

export function locale(): string {
  return language() === "zh" ? "zh-CN" : "en-GB";
}

/** How long ago, rounded down as in the block: from a day on, dates are counted. */
export function age(time: string | null | undefined, now: number = Date.now()): string {
  if (!time) return "";
  const at = Date.parse(time);
  const seconds = Math.trunc(Math.abs(now - at) / 1000);
  if (Number.isNaN(seconds)) return "";
  const days = seconds >= DAY ? Math.abs(dayNumber(now) - dayNumber(at)) : 0;
  for (const [steps, length] of [[DAYS, days], [SECONDS, seconds]] as const) {
    for (const [size, unit] of steps) {
      if (length < size) continue;
      const words = new Intl.RelativeTimeFormat(locale(), { style: "long" });
      return words.format((at > now ? 1 : -1) * Math.floor(length / size), unit);
    }
  }
  return t("just_now");
}

function dayNumber(at: number): number {
  return Math.round(Date.parse(`${dayOf(new Date(at), memoryZone)}T00:00:00Z`) / (DAY * 1000));
}

/** "2026-03-29", as it was in that zone. */
function dayOf(date: Date, zone: string | undefined): string {
  return date.toLocaleDateString("sv-SE", { timeZone: zone });
}

export function dateTime(time: string | null | undefined, seconds = false): string {
  if (!time) return "–";
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date.toLocaleString(locale(), { dateStyle: "medium", timeStyle: seconds ? "medium" : "short" });
}

/** When something was. Midnight where it happened is a day of which nobody named an hour. */
export function happened(time: string | null | undefined, data?: Record<string, unknown>): string {
  const day = time ? wholeDay(time, data) : "";
  return day ? new Date(`${day}T12:00:00Z`).toLocaleDateString(locale(), { dateStyle: "medium", timeZone: "UTC" }) : dateTime(time);
}

function wholeDay(time: string, data: Record<string, unknown> | undefined): string {
  const date = new Date(time);
  const zone = zoneOf(data);
  if (Number.isNaN(date.getTime()) || date.getTime() % 1000) return "";
  return date.toLocaleTimeString("sv-SE", { timeZone: zone }) === "00:00:00" ? dayOf(date, zone) : "";
}

/** Day and hour where it happened; no hour if none was named. */
export function dayAndHour(time: string, data?: Record<string, unknown>): [string, string] {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return ["", ""];
  const zone = zoneOf(data);
  const hour = wholeDay(time, data) ? "" : date.toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit", timeZone: zone });
  return [dayOf(date, zone), hour];
}

export function number(value: number): string {
  return value.toLocaleString(locale());
}

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : language() === "zh" ? `${Math.round(value * 100)}%` : `${Math.round(value * 100)} %`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return "0 s";
  if (seconds < MINUTE) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / MINUTE)} min`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const step = Math.min(units.length, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** step;
  return `${value.toLocaleString(locale(), { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[step - 1]}`;
}

/** At most so many characters, never half of one. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

const TIME_FIRST = /^(\d{4}-\d\d-\d\d \d\d:\d\d \([^()]{1,40}\)|\d{1,4}年\d{1,2}月\d{1,2}日\d\d:\d\d（[^（）]{1,40}）)[,:，：]?\s*/;

/** An event begins with its time, which is said beside it in some places. */
export function withoutTime(text: string): string {
  return text.replace(TIME_FIRST, "") || text;
}
