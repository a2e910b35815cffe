/** One document: what it is about, and its sections with their chunks, as they are searched. */
import { Download, Trash2 } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, pageHeaders, TaishiError, problemOf, unwrap, type Chunk, type Document } from "../api";
import { Dialog, ErrorBox, Loading, Said } from "../components/basics";
import { complain } from "../components/toasts";
import { mayWrite, useApp } from "../context";
import { bytes, cut, dateTime } from "../format";
import { t } from "../i18n";
import { placeKey, scopeOf } from "../place";
import { useResource } from "../resource";
import { address } from "../router";

const STEP = 100;
const MOST = 1000;
const SHOWN_CHARS = 4000;

interface Props {
  id: string;
  chunk: string;
  onClose: () => void;
  onRemove: () => void;
}

export function DocumentDetail({ id, chunk, onClose, onRemove }: Props) {
  const { place, version } = useApp();
  const params = { path: { id }, query: scopeOf(place) };
  const { data, error, reload } = useResource(`document ${placeKey(place)} ${id}`, () => unwrap(api.GET("/v1/documents/{id}", { params })), version);
  return (
    <Dialog drawer title={t("one_document")} onClose={onClose}>
      {error && !data && (error instanceof TaishiError && error.status === 404 ? <NotHere id={id} chunk={chunk} /> : <ErrorBox error={error} retry={reload} />)}
      {!data && !error && <Loading />}
      {data && <Detail document={data} chunk={chunk} onRemove={onRemove} />}
    </Dialog>
  );
}

function NotHere({ id, chunk }: { id: string; chunk: string }) {
  const { place } = useApp();
  const shared = { workspace: place.workspace, kind: "workspace" as const, id: "" };
  return (
    <>
      <p class="faint">{t("document_not_here")}</p>
      {place.kind !== "workspace" && <a href={address("knowledge", shared, { open: id, chunk })}>{t("look_in_shared")}</a>}
    </>
  );
}

function Detail({ document: one, chunk, onRemove }: { document: Document; chunk: string; onRemove: () => void }) {
  const { who, place } = useApp();
  const rows: [string, string][] = [
    [t("document_size"), bytes(one.size)],
    [t("document_type"), one.media_type],
    [t("stored"), dateTime(one.added)],
    [t("document_folder"), one.folder],
    [t("summary_by"), one.summary_by === "model" ? t("summary_by_model") : one.summary ? t("summary_by_extract") : ""],
  ];
  const save = async () => {
    const params = new URLSearchParams(Object.entries(scopeOf(place)).map(([name, value]) => [name, String(value)]));
    const answer = await fetch(`/v1/documents/${encodeURIComponent(one.id)}/original?${params}`, { headers: pageHeaders() });
    if (!answer.ok) throw problemOf(answer.status, await answer.json().catch(() => null));
    const link = window.document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = one.name.split("/").pop() || "document";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  return (
    <>
      <div class="detail-badges">
        <span class="badge tone-grey">{t("kind_chunk")}</span>
        {one.state === "ready" ? <span class="badge tone-green">{t("document_ready")}</span> : <span class="badge tone-amber">{t("importing")}</span>}
        <span class="faint">{t("chunks_count", { count: one.chunks })}</span>
      </div>
      <p class="detail-text document-title"><strong><Said text={cut(one.title || one.name, 300)} /></strong></p>
      {one.title && one.title !== one.name && <p class="faint"><Said text={cut(one.name, 300)} /></p>}
      {one.state !== "ready" && <p class="notice">{t("importing_words")}</p>}
      {one.summary && <p class="quote"><Said text={cut(one.summary, 2000)} /></p>}
      <div class="row wrap">
        {one.original && (
          <button type="button" class="button quiet" onClick={() => void save().catch(complain)}>
            <Download size={16} aria-hidden="true" /> {t("download")}
          </button>
        )}
        {mayWrite(who) && (
          <button type="button" class="button quiet danger-text" onClick={onRemove}>
            <Trash2 size={16} aria-hidden="true" /> {t("remove")}
          </button>
        )}
      </div>
      <Chunks document={one} chosen={chunk} />
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

interface Section {
  titles: string[];
  chunks: Chunk[];
}

/** Chunks that follow one another below the same titles. */
function sectionsOf(chunks: Chunk[]): Section[] {
  const sections: Section[] = [];
  for (const chunk of chunks) {
    const last = sections[sections.length - 1];
    if (last && last.titles.join("\n") === chunk.section.join("\n")) last.chunks.push(chunk);
    else sections.push({ titles: chunk.section, chunks: [chunk] });
  }
  return sections;
}

function Chunks({ document: one, chosen }: { document: Document; chosen: string }) {
  const { place, version } = useApp();
  const at = Number(/:(\d+)$/.exec(chosen)?.[1] ?? 0);
  const [start, setStart] = useState(Math.max(0, at - 2 < STEP ? 0 : at - STEP / 2));
  const [limit, setLimit] = useState(STEP);
  const { data, error, reload } = useResource(
    `chunks ${placeKey(place)} ${one.id}`,
    () => unwrap(api.GET("/v1/documents/{id}/chunks", { params: { path: { id: one.id }, query: { ...scopeOf(place), start, limit } } })),
    version * 10_000 + start + limit,
  );
  const chunks = data?.chunks ?? [];
  return (
    <section>
      <h3>{t("sections")}</h3>
      {error && <ErrorBox error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && !chunks.length && <p class="faint">{t("no_chunks")}</p>}
      {start > 0 && (
        <button type="button" class="button small quiet" onClick={() => (setLimit(Math.min(MOST, limit + Math.min(start, STEP))), setStart(Math.max(0, start - STEP)))}>
          {t("earlier_chunks")}
        </button>
      )}
      {sectionsOf(chunks).map((section) => (
        <details key={section.chunks[0]!.id} class="document-section" open>
          <summary>
            {section.titles.length ? <Said text={cut(section.titles.join(" › "), 200)} /> : t("no_section")}{" "}
            <span class="faint">{t("chunks_count", { count: section.chunks.length })}</span>
          </summary>
          {section.chunks.map((chunk) => (
            <ChunkView key={chunk.id} chunk={chunk} chosen={chunk.id === chosen} />
          ))}
        </details>
      ))}
      {data && start + chunks.length < one.chunks && chunks.length === limit && (
        limit < MOST ? (
          <button type="button" class="button small quiet" onClick={() => setLimit(Math.min(MOST, limit + STEP))}>{t("load_more")}</button>
        ) : (
          <button type="button" class="button small quiet" onClick={() => (setStart(start + limit), setLimit(STEP))}>{t("later_chunks")}</button>
        )
      )}
    </section>
  );
}

function ChunkView({ chunk, chosen }: { chunk: Chunk; chosen: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen) element.current?.scrollIntoView({ block: "center" });
  }, [chosen]);
  return (
    <div ref={element} class={chosen ? "chunk chosen" : "chunk"} aria-current={chosen ? "true" : undefined}>
      <span class="faint numbers chunk-number">
        {chunk.number + 1}
        {chunk.page !== null && <> · {t("page_number", { page: chunk.page })}</>}
      </span>
      <p><Said text={cut(chunk.text, SHOWN_CHARS)} /></p>
    </div>
  );
}
