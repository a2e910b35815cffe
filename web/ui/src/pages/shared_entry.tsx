/** One entry of shared memory: what it says, a coordinator's word on it, and who did what to it. */
import { Check, Pencil, Trash2, X } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, unwrap, type Memory } from "../api";
import { Confidence, ErrorBox, Said } from "../components/basics";
import { StateBadge } from "../components/kinds";
import { complain, say } from "../components/toasts";
import { useApp } from "../context";
import { cut, dateTime } from "../format";
import { t, type Key } from "../i18n";
import { useResource } from "../resource";
import { LinkedMemory } from "./linked_memory";
import { DOORS } from "./profiles";
import { approveShared, mayDecide, rejectShared, replaceShared, sharedInfo, sharedScope, sharedType, writerName } from "../shared";

interface Props {
  record: Memory;
  onOpen: (id: string) => void;
  onChanged?: () => void;
  onRemove?: () => void;
}

const OPEN = ["candidate", "approved", "conflict"];

export function SharedEntry({ record, onOpen, onChanged, onRemove }: Props) {
  const { who, place, refresh } = useApp();
  const [words, setWords] = useState<string | null>(null); // null: not being replaced
  const info = sharedInfo(record);
  const act = (asked: Promise<unknown>, done: (answer: unknown) => string) =>
    asked.then((answer) => (say(done(answer)), refresh(), onChanged?.()), complain);
  const approve = () => act(approveShared(who, place, record.id), (state) => t(state === "conflict" ? "approved_conflict" : "approved"));
  const reject = () => act(rejectShared(who, place, record.id), () => t("shared_rejected"));
  const save = (event: Event) => {
    event.preventDefault();
    void act(replaceShared(who, place, record.id, (words ?? "").trim()).then((id) => (setWords(null), onOpen(id))), () => t("shared_replaced"));
  };
  const rows: [string, string][] = [
    [t("shared_topic"), info?.topic ?? ""],
    [t("proposed_by"), info?.by ? writerName(info.by, record) : ""],
    [t("stored"), dateTime(record.created)],
    [t("id"), record.id],
  ];
  const against = record.metadata["conflict_with"];
  return (
    <>
      <div class="detail-badges">
        <span class="badge tone-amber">{t(sharedType(info?.type ?? ""))}</span>
        <StateBadge record={record} always />
        <Confidence value={record.confidence} state={record.state} />
      </div>
      {words === null ? (
        <div class="detail-text"><Said text={cut(record.text, 4000)} /></div>
      ) : (
        <form class="editor" onSubmit={save}>
          <label class="field">
            <span>{t("correct_label")}</span>
            <textarea rows={4} dir="auto" value={words} autofocus onInput={(event) => setWords(event.currentTarget.value)} />
          </label>
          <div class="row">
            <button type="submit" class="button" disabled={!words.trim() || words.trim() === record.text}>{t("save")}</button>
            <button type="button" class="button quiet" onClick={() => setWords(null)}>{t("cancel")}</button>
          </div>
        </form>
      )}
      {mayDecide(who) && words === null && (
        <div class="row wrap">
          {record.state !== "approved" && record.state !== "superseded" && (
            <button type="button" class="button" onClick={() => void approve()}>
              <Check size={16} aria-hidden="true" /> {t("approve")}
            </button>
          )}
          {record.kind === "fact" && OPEN.includes(record.state) && (
            <button type="button" class="button quiet" onClick={() => setWords(record.text)}>
              <Pencil size={16} aria-hidden="true" /> {t("correct")}
            </button>
          )}
          {OPEN.includes(record.state) && (
            <button type="button" class="button quiet" onClick={() => void reject()}>
              <X size={16} aria-hidden="true" /> {t("reject")}
            </button>
          )}
          {onRemove && (
            <button type="button" class="button quiet danger-text" onClick={onRemove}>
              <Trash2 size={16} aria-hidden="true" /> {t("delete")}
            </button>
          )}
        </div>
      )}
      {Array.isArray(against) && against.length > 0 && (
        <section>
          <h3>{t("conflict_with")}</h3>
          {against.filter((one): one is string => typeof one === "string").slice(0, 12).map((id) => (
            <LinkedMemory key={id} id={id} scope={sharedScope(who, place)} onOpen={onOpen} />
          ))}
        </section>
      )}
      <Audit record={record} />
      <section>
        <h3>{t("about")}</h3>
        <dl class="facts-list">
          {rows.filter((row) => row[1]).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd><Said text={cut(value, 200)} /></dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

const DID: Record<string, Key> = {
  proposed: "did_proposed", supported: "did_supported", approved: "did_approved", rejected: "did_rejected",
  superseded: "did_superseded", conflict: "did_conflict", resolved: "did_resolved",
};

/** Oldest first: who did what, through which door, and why. */
function Audit({ record }: { record: Memory }) {
  const { who, place, version } = useApp();
  const params = { path: { id: record.id }, query: sharedScope(who, place) };
  const { data, error, reload } = useResource(
    `audit ${record.id} ${record.state}`,
    async () => (await unwrap(api.GET("/v1/shared/{id}/audit", { params }))).audit,
    version,
  );
  return (
    <section>
      <h3>{t("audit")}</h3>
      {error && <ErrorBox error={error} retry={reload} />}
      <ol class="plain history audit">
        {(data ?? []).map((one, index) => (
          <li key={index}>
            <strong>{DID[one.did] ? t(DID[one.did]!) : one.did}</strong> · <Said text={cut(writerName(one.by, record), 80)} />{" "}
            <span class="faint">{dateTime(one.at)}{one.door && <> · {DOORS[one.door] ? t(DOORS[one.door]!) : one.door}</>}</span>
            {one.reason && <p class="quote"><Said text={cut(one.reason, 600)} /></p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
