/** The tab of shared memory: what everybody in the workspace knows, what waits, and who said so. */
import { UsersRound } from "lucide-preact";
import { api, unwrap, type Memory } from "../api";
import { Confidence, Dialog, Empty, ErrorBox, Loading, Said } from "../components/basics";
import { KindIcon, StateBadge } from "../components/kinds";
import { useApp } from "../context";
import { age, cut, happened } from "../format";
import { t } from "../i18n";
import { placeKey } from "../place";
import { useResource } from "../resource";
import { sharedInfo, sharedScope, sharedType, writerName } from "../shared";
import { SharedEntry } from "./shared_entry";

const MOST = 1000;
const SHOWN = 300;

interface Props {
  words: string;
  opened: string | null;
  onOpen: (id: string) => void;
}

export function SharedTab({ words, opened, onOpen }: Props) {
  const { who, place, version } = useApp();
  const query = { ...sharedScope(who, place), limit: MOST };
  const { data, error, loading, reload } = useResource(
    `shared ${placeKey(place)}`,
    async () => (await unwrap(api.GET("/v1/shared", { params: { query } }))).entries,
    version,
  );
  const wanted = words.toLowerCase();
  const found = (data ?? []).filter((one) => !wanted || `${one.text} ${sharedInfo(one)?.topic}`.toLowerCase().includes(wanted));
  const current = opened ? data?.find((one) => one.id === opened) : undefined;
  return (
    <>
      {error && <ErrorBox error={error} retry={reload} />}
      {!data && loading && <Loading />}
      {data && !found.length && (
        <Empty title={words ? t("nothing_found") : t("nothing_shared")}>
          <p>{words ? t("shared_found_words") : t("nothing_shared_words")}</p>
          {!words && <pre tabIndex={0} role="region" aria-label={t("example")}>taishi shared propose "Prices include VAT" --type convention</pre>}
        </Empty>
      )}
      {found.length > 0 && (
        <div class="list shared-list" tabIndex={0} role="region" aria-label={t("tab_shared")}>
          <ul class="plain">
            {found.slice(0, SHOWN).map((one) => (
              <li key={one.id}><SharedCard record={one} current={one.id === opened} onOpen={() => onOpen(one.id)} /></li>
            ))}
          </ul>
        </div>
      )}
      {opened && (
        <Dialog drawer title={t("shared_entry")} onClose={() => onOpen("")}>
          {current && <SharedEntry record={current} onOpen={onOpen} onChanged={reload} />}
          {!current && (data ? <p class="faint">{t("not_here")}</p> : <Loading />)}
        </Dialog>
      )}
    </>
  );
}

function SharedCard({ record, current, onOpen }: { record: Memory; current: boolean; onOpen: () => void }) {
  const info = sharedInfo(record);
  const time = record.time ?? record.created;
  return (
    <button type="button" class="card edge-amber" aria-current={current ? "true" : undefined} onClick={onOpen}>
      <KindIcon kind={record.kind} shared />
      <span class="card-inside">
        <span class="card-text"><Said text={cut(record.text, 300)} /></span>
        <span class="card-foot">
          <span class="badge tone-amber">{t(sharedType(info?.type ?? ""))}</span>
          <StateBadge record={record} />
          <Confidence value={record.confidence} state={record.state} />
          {info?.by && <span class="faint shared-by"><UsersRound size={13} aria-hidden="true" /> <Said text={cut(writerName(info.by, record), 40)} /></span>}
          <time class="faint card-age" dateTime={time ?? undefined} title={happened(time, record.metadata)}>{age(time)}</time>
        </span>
      </span>
    </button>
  );
}
