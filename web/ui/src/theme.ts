/** Light, dark, or as the system has it. */
export type Theme = "auto" | "light" | "dark";
const NAME = "taishi.theme";

export function theme(): Theme {
  const kept = read(NAME);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

export function applyTheme(next: Theme = theme()): void {
  if (next === "auto") remove(NAME);
  else write(NAME, next);
  document.documentElement.dataset["theme"] = next;
}

/** A browser may refuse to keep anything; the pages work all the same. */
export function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    /* not kept */
  }
}

function remove(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    /* was not kept */
  }
}
