/** Times, ages and numbers in the language of the page. */
import { language, t } from "./i18n";

const MINUTE = 60;
const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [365 * 86400, "year"],
  [30 * 86400, "month"],
  [7 * 86400, "week"],
  [86400, "day"],
  [3600, "hour"],
  [MINUTE, "minute"],
];

function locale(): string {
  return language() === "zh" ? "zh-CN" : "en-GB";
}

export function age(time: string | null | undefined, now: number = Date.now()): string {
  if (!time) return "";
  const seconds = (Date.parse(time) - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  for (const [size, unit] of STEPS) {
    if (Math.abs(seconds) >= size) {
      const words = new Intl.RelativeTimeFormat(locale(), { numeric: "auto", style: "long" });
      return words.format(Math.round(seconds / size), unit);
    }
  }
  return t("just_now");
}

export function dateTime(time: string | null | undefined, seconds = false): string {
  if (!time) return "–";
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date.toLocaleString(locale(), { dateStyle: "medium", timeStyle: seconds ? "medium" : "short" });
}

export function number(value: number): string {
  return value.toLocaleString(locale());
}

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${Math.round(value * 100)} %`;
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
