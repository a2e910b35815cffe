/** Programs that connected by OAuth: who allowed them what, and an end to it. */
import { Cable } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, unwrap, type Connection } from "../api";
import { Dialog, Said } from "../components/basics";
import { complain, say } from "../components/toasts";
import { cut, dateTime } from "../format";
import { t } from "../i18n";
import { useResource } from "../resource";

/** Nothing where no program is connected: most memories have none. */
export function ConnectionsPanel() {
  const { data, reload } = useResource("connections", () => unwrap(api.GET("/v1/connections")));
  const [ending, setEnding] = useState<Connection>();
  if (!data?.connections.length) return null;
  const end = (one: Connection) =>
    unwrap(api.DELETE("/v1/connections/{name}", { params: { path: { name: one.id } } })).then(
      () => (say(t("connection_ended")), setEnding(undefined), reload()),
      complain,
    );
  return (
    <section class="panel">
      <div class="page-head">
        <h2><Cable size={18} aria-hidden="true" /> {t("connections")}</h2>
      </div>
      <p class="faint">{t("connections_words")}</p>
      <ul class="plain">
        {data.connections.map((one) => (
          <li key={one.id} class="key-row">
            <span class="grow">
              <strong><Said text={cut(one.client || one.id, 80)} /></strong> <code>{one.id}</code>
              <br />
              <span class="faint">{one.user && <><Said text={cut(one.user, 80)} /> · </>}{dateTime(one.created)}</span>
            </span>
            <span class="badge tone-green">{t(one.access === "write" ? "right_write" : "right_read")}</span>
            <button type="button" class="button small quiet danger-text" onClick={() => setEnding(one)}>{t("disconnect")}</button>
          </li>
        ))}
      </ul>
      {ending && (
        <Dialog title={t("connection_question", { name: cut(ending.client || ending.id, 80) })} onClose={() => setEnding(undefined)}>
          <p>{t("connection_question_words")}</p>
          <div class="row end">
            <button type="button" class="button quiet" onClick={() => setEnding(undefined)}>{t("cancel")}</button>
            <button type="button" class="button danger" onClick={() => end(ending)}>{t("disconnect")}</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
