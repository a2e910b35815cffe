/** For a memory in which there is nothing yet. */
import { Empty } from "../components/basics";
import { t } from "../i18n";

export function FirstSteps() {
  return (
    <div class="page">
      <h1 class="visually-hidden">{t("nav_memory")}</h1>
      <Empty title={t("nothing_yet")}>
        <p>{t("nothing_yet_words")}</p>
        <pre tabIndex={0} role="region" aria-label={t("example")}>{`taishi remember "Ann moved to Oslo" --user ann
taishi demo --data demo-data
taishi --data demo-data ui`}</pre>
        <p>
          <a href="/docs">{t("rest_reference")}</a>
        </p>
      </Empty>
    </div>
  );
}
