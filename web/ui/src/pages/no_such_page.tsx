/** For an address that names no page. */
import { Empty, Said } from "../components/basics";
import { cut } from "../format";
import { t } from "../i18n";
import type { Place } from "../place";
import { address } from "../router";

export function NoSuchPage({ named, place }: { named: string; place: Place | null }) {
  return (
    <div class="page">
      <h1 class="visually-hidden">{t("no_such_page")}</h1>
      <Empty title={t("no_such_page")}>
        <p>
          <code><Said text={cut(named, 80)} /></code>
        </p>
        <p>{t("no_such_page_words")}</p>
        <p><a class="button" href={address("memory", place)}>{t("nav_memory")}</a></p>
      </Empty>
    </div>
  );
}
