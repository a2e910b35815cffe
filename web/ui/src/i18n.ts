/** Every word on the pages, in English and Chinese. */
import { read, write } from "./theme";
import { MESSAGES } from "./messages";

export type Language = "en" | "zh";
export type Key = keyof typeof MESSAGES;
const NAME = "taishi.language";
const listeners = new Set<() => void>();
let current: Language | undefined;

export function language(): Language {
  if (!current) {
    const kept = read(NAME);
    current = kept === "zh" || kept === "en" ? kept : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  }
  return current;
}

export function setLanguage(next: Language): void {
  current = next;
  write(NAME, next);
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
  listeners.forEach((listener) => listener());
}

export function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function t(key: Key, values: Record<string, string | number> = {}): string {
  const forms = MESSAGES[key][language() === "zh" ? 1 : 0].split(" | ");
  const words = forms[forms.length > 1 && values["count"] !== 1 ? 1 : 0]!; // "one | many"
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
