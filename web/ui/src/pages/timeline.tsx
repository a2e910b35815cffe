/** What happened, day by day. */
import { useMemo } from "preact/hooks";
import { Said } from "../components/basics";
import { KindIcon } from "../components/kinds";
import { cut, dateTime, dayAndHour, locale, withoutTime } from "../format";
import { t } from "../i18n";
import type { Card } from "./memory_data";

interface Props {
  items: Card[];
  more: boolean;
  onMore: () => void;
  onOpen: (id: string) => void;
}

export function Timeline({ items, more, onMore, onOpen }: Props) {
  const days = useMemo(() => byDay(items), [items]);
  return (
    <div class="list timeline" tabIndex={0} role="region" aria-label={t("timeline")}>
      {days.map(([day, cards]) => (
        <section key={day}>
          <h2>{dayName(day)} <span class="faint">{cards.length}</span></h2>
          <ol class="plain">
            {cards.map((card) => (
              <li key={card.id}>
                <button type="button" class="moment" onClick={() => onOpen(card.id)}>
                  <KindIcon kind={card.kind} />
                  <span class="faint numbers" title={dateTime(card.time)}>{card.time ? dayAndHour(card.time, card.metadata)[1] : ""}</span>
                  <span class="grow"><Said text={cut(withoutTime(card.text), 300)} /></span>
                </button>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {more && (
        <button type="button" class="button quiet" onClick={onMore}>{t("load_more")}</button>
      )}
    </div>
  );
}

function byDay(items: Card[]): [string, Card[]][] {
  const days = new Map<string, Card[]>();
  for (const card of [...items].sort((a, b) => (b.time ?? "").localeCompare(a.time ?? ""))) {
    const day = card.time ? dayAndHour(card.time, card.metadata)[0] : "";
    days.set(day, [...(days.get(day) ?? []), card]);
  }
  return [...days];
}

function dayName(day: string): string {
  if (!day) return t("no_day");
  return new Date(`${day}T12:00:00`).toLocaleDateString(locale(), { weekday: "long", year: "numeric", month: "long", day: "numeric" });
}
