/** The documents of a place: take files in, see what became of them, ask them. */
import { FileText, FileUp, Search, Trash2 } from "lucide-preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, unwrap, type Document } from "../api";
import { Empty, ErrorBox, Loading, Said } from "../components/basics";
import { complain, later } from "../components/toasts";
import { mayWrite, useApp } from "../context";
import { age, bytes, cut, dateTime } from "../format";
import { t } from "../i18n";
import { onSlash } from "../keys";
import { placeKey, scopeOf } from "../place";
import { useDebounced, useResource } from "../resource";
import { go, useRoute } from "../router";
import { DocumentDetail } from "./knowledge_document";
import { KnowledgeHits } from "./knowledge_hits";
import { UploadList, useUploads } from "./knowledge_uploads";

export function KnowledgePage() {
  const { who, place, version, refresh, summary } = useApp();
  const { params } = useRoute();
  const [words, setWords] = useState("");
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const searchBox = useRef<HTMLInputElement>(null);
  const question = useDebounced(words.trim(), 300);
  const query = scopeOf(place);
  const { data, error, loading, reload } = useResource(
    `documents ${placeKey(place)}`,
    () => unwrap(api.GET("/v1/documents", { params: { query } })),
    version,
  );
  const uploads = useUploads(place, summary?.max_body_mb, () => (refresh(), reload()));
  const writable = mayWrite(who);
  const dragging = useDrop(writable, uploads.add);
  const documents = (data?.documents ?? []).filter((one) => !hidden.has(one.id));
  const opened = params.get("open");
  const open = (id: string, chunk = "") => go("knowledge", place, { open: id, chunk });
  useEffect(() => onSlash(() => searchBox.current?.focus()), []);

  const remove = useCallback(
    (id: string) => {
      go("knowledge", place);
      setHidden((was) => new Set([...was, id]));
      const show = () => setHidden((was) => new Set([...was].filter((one) => one !== id)));
      const asked = () => unwrap(api.DELETE("/v1/documents/{id}", { params: { path: { id }, query }, keepalive: true }));
      later(t("document_removed"), () => void asked().then(() => (refresh(), reload()), (problem) => (show(), complain(problem))), show);
    },
    [place, refresh],
  );

  return (
    <div class={dragging ? "page knowledge-page dragging" : "page knowledge-page"}>
      <header class="page-head">
        <h1>{t("nav_knowledge")}</h1>
        {writable && documents.length > 0 && <FilePicker onFiles={uploads.add} />}
      </header>
      <label class="search">
        <Search size={18} aria-hidden="true" />
        <span class="visually-hidden">{t("search_documents")}</span>
        <input ref={searchBox} type="search" value={words} placeholder={t("search_documents_hint")} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <UploadList uploads={uploads} />
      {question ? (
        <KnowledgeHits question={question} onOpen={open} />
      ) : (
        <>
          {error && <ErrorBox error={error} retry={reload} />}
          {!data && loading && <Loading />}
          {data && !documents.length && <NoDocuments writable={writable} onFiles={uploads.add} />}
          <ul class="plain documents" aria-label={t("nav_knowledge")}>
            {documents.map((one) => (
              <DocumentRow key={one.id} document={one} onOpen={() => open(one.id)} onRemove={writable ? () => remove(one.id) : undefined} />
            ))}
          </ul>
          {writable && documents.length > 0 && <p class="faint small-print">{t("drop_hint")}</p>}
        </>
      )}
      {dragging && (
        <div class="drop-sign" aria-hidden="true">
          <FileUp size={36} /> {t("drop_here")}
        </div>
      )}
      {opened && (
        <DocumentDetail
          key={opened}
          id={opened}
          chunk={params.get("chunk") ?? ""}
          onClose={() => go("knowledge", place)}
          onRemove={() => remove(opened)}
        />
      )}
    </div>
  );
}

function FilePicker({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const chosen = (event: Event) => {
    const element = event.currentTarget as HTMLInputElement;
    onFiles([...(element.files ?? [])]);
    element.value = ""; // the same file may be chosen again
  };
  return (
    <>
      <input ref={input} class="visually-hidden" type="file" multiple tabIndex={-1} aria-label={t("choose_files")} onChange={chosen} />
      <button type="button" class="button" onClick={() => input.current?.click()}>
        <FileUp size={17} aria-hidden="true" /> {t("add_files")}
      </button>
    </>
  );
}

function NoDocuments({ writable, onFiles }: { writable: boolean; onFiles: (files: File[]) => void }) {
  return (
    <div class="drop-zone">
      <Empty title={t("no_documents")}>
        <p>{t(writable ? "no_documents_words" : "no_documents_read")}</p>
        {writable && (
          <>
            <FilePicker onFiles={onFiles} />
            <p class="small-print">{t("no_documents_folder")}</p>
            <pre tabIndex={0} role="region" aria-label={t("example")}>taishi knowledge sync ./handbook --shared</pre>
          </>
        )}
      </Empty>
    </div>
  );
}

interface RowProps {
  document: Document;
  onOpen: () => void;
  onRemove: (() => void) | undefined;
}

function DocumentRow({ document: one, onOpen, onRemove }: RowProps) {
  return (
    <li class="document">
      <button type="button" class="document-open" onClick={onOpen}>
        <span class="kind-icon tone-grey" aria-hidden="true"><FileText size={18} /></span>
        <span class="card-inside">
          <strong class="document-name"><Said text={cut(one.name, 120)} /></strong>
          {one.summary && <span class="card-text faint"><Said text={cut(one.summary, 300)} /></span>}
          <span class="card-foot faint">
            {one.state !== "ready" && <span class="badge tone-amber" title={t("importing_words")}>{t("importing")}</span>}
            <span>{bytes(one.size)}</span>
            <span>{t("chunks_count", { count: one.chunks })}</span>
            <time class="card-age" dateTime={one.added ?? undefined} title={dateTime(one.added)}>{age(one.added)}</time>
          </span>
        </span>
      </button>
      {onRemove && (
        <button type="button" class="icon-button" aria-label={t("remove_named", { name: cut(one.name, 80) })} title={t("remove")} onClick={onRemove}>
          <Trash2 size={18} aria-hidden="true" />
        </button>
      )}
    </li>
  );
}

/** Files dropped anywhere on the page; the browser would otherwise open them. */
function useDrop(enabled: boolean, onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    if (!enabled) return undefined;
    const hasFiles = (event: DragEvent) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const moved = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const dropped = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", moved);
    addEventListener("dragleave", left);
    addEventListener("drop", dropped);
    return () => {
      removeEventListener("dragover", moved);
      removeEventListener("dragleave", left);
      removeEventListener("drop", dropped);
    };
  }, [enabled]);
  return over;
}
