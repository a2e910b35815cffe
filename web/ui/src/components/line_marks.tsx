/** Where a line of a user's page is shown: the mark at its end, `<!-- group:g42 -->`, in words. */
import { t } from "../i18n";
import { Said } from "./basics";

const MARK = /^<!--[ \t]*((?:(?:group:[^\s<>]+|everywhere|private)[ \t]*)+)-->\s*$/;

/** The mark as labels; null if this is another comment. */
export function lineMarks(raw: string) {
  const marks = MARK.exec(raw)?.[1]?.trim().split(/[ \t]+/);
  if (!marks) return null;
  const groups = marks.filter((one) => one.startsWith("group:")).map((one) => plain(one.slice("group:".length)));
  if (marks.includes("everywhere")) return <span class="badge tone-grey line-mark">{t("mark_everywhere")}</span>;
  if (!groups.length) return <></>;
  const key = marks.includes("private") ? "mark_group_too" : "mark_group_only";
  return (
    <span class="badge tone-blue line-mark" title={t("mark_words")}>
      {t(key)} <Said text={groups.join(t("mark_between"))} />
    </span>
  );
}

/** The id without its escapes. */
function plain(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
