/** A unified diff as a person reads it: lines with signs, and in them the words that changed. */
import { diffWordsWithSpace } from "diff";
import { useMemo } from "preact/hooks";
import { t } from "../i18n";

const MOST = 20_000; // beyond it, comparing word by word would hold the page up

interface Part {
  text: string;
  changed: boolean;
}

export interface Line {
  sign: " " | "+" | "-" | "@";
  parts: Part[];
}

export function linesOf(unified: string): Line[] {
  const lines: Line[] = [];
  for (const [index, row] of unified.split("\n").entries()) {
    const sign = row[0] ?? " ";
    if (index < 2 && /^(---|\+\+\+)/.test(row)) continue; // the names of the two
    if (row.startsWith("@@")) lines.push({ sign: "@", parts: [] });
    else if (/^[+ -](updated_at|source_event_id|changed_by): /.test(row)) continue; // true of every version
    else if (/^ (entity_type|entity_id|name|tags): |^ ---$/.test(row)) continue; // fields that stayed
    else if (sign === "+" || sign === "-" || sign === " ") lines.push({ sign, parts: [{ text: row.slice(1), changed: false }] });
  }
  if (lines[0]?.sign === "@") lines.shift();
  return unified.length > MOST ? lines : paired(lines);
}

/** Runs of as many removed as added lines are compared word by word. */
function paired(lines: Line[]): Line[] {
  for (let start = 0; start < lines.length; start++) {
    let middle = start;
    while (lines[middle]?.sign === "-") middle++;
    let end = middle;
    while (lines[end]?.sign === "+") end++;
    if (middle > start && end - middle === middle - start) {
      for (let index = start; index < middle; index++) compare(lines[index]!, lines[index + middle - start]!);
    }
    start = Math.max(start, end - 1);
  }
  return lines;
}

function compare(before: Line, after: Line): void {
  const words = diffWordsWithSpace(before.parts[0]!.text, after.parts[0]!.text);
  before.parts = words.filter((one) => !one.added).map((one) => ({ text: one.value, changed: Boolean(one.removed) }));
  after.parts = words.filter((one) => !one.removed).map((one) => ({ text: one.value, changed: Boolean(one.added) }));
}

const NAMES = { "+": "diff_added", "-": "diff_removed" } as const;
const LOOKS = { "+": "added", "-": "removed", "@": "gap", " ": "" } as const;

export function TextDiff({ unified }: { unified: string }) {
  const lines = useMemo(() => linesOf(unified), [unified]);
  if (lines.every((line) => line.sign === " " || line.sign === "@")) return <p class="faint">{t("diff_same")}</p>;
  return (
    <div class="diff" role="region" aria-label={t("diff")} tabIndex={0}>
      {lines.map((line, index) => (
        <div key={index} class={`diff-line ${LOOKS[line.sign]}`}>
          <span class="diff-sign" aria-hidden="true">{line.sign === "@" ? "⋯" : line.sign}</span>
          {(line.sign === "+" || line.sign === "-") && <span class="visually-hidden">{t(NAMES[line.sign])}</span>}
          <span dir="auto" class="said">
            {line.parts.map((part, number) => (part.changed ? <mark key={number}>{part.text}</mark> : part.text))}
          </span>
        </div>
      ))}
    </div>
  );
}
