/** One memory in full: what it says, what it rests on, what it said before, and a person's word on it. */
import { Check, Pencil, Quote, Trash2, X } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, TaishiError, unwrap, type Memory, type Source } from "../api";
import { Bar, Confidence, Dialog, ErrorBox, Loading, Said, Tags } from "../components/basics";
import { isWriter, KindBadge, KindIcon, StateBadge } from "../components/kinds";
import { complain, say } from "../components/toasts";
import { mayWrite, useApp } from "../context";
import { age, cut, dateTime, happened, percent } from "../format";
import { t, type Key } from "../i18n";
import { scopeOf } from "../place";
import { useResource } from "../resource";
import { address } from "../router";
import { sharedInfo } from "../shared";
import type { Card } from "./memory_data";
import { LinkedMemory } from "./linked_memory";
import { SharedEntry } from "./shared_entry";

interface Props {
  id: string;
  /** What the list shows of it, until it is read in full. */
  preview?: Card | undefined;
  onChanged: (record: Memory) => void;
  onClose: () => void;
  onOpen: (id: string) => void;
  onRemove: () => void;
}

const SHOWN_CHARS = 4000;
const SHOWN_TAGS = 24;
const NOT_EDITED = ["turn", "profile"];

export function MemoryDetail({ id, preview, onChanged, onClose, onOpen, onRemove }: Props) {
  const { place, version } = useApp();
  const params = { path: { id }, query: scopeOf(place) };
  const { data: record, error, reload, set } = useResource(`memory ${id}`, () => unwrap(api.GET("/v1/memories/{id}", { params })), version);
  return (
    <Dialog drawer title={t("one_memory")} onClose={onClose}>
      {error && !record && (error instanceof TaishiError && error.status === 404 ? <NotHere id={id} /> : <ErrorBox error={error} retry={reload} />)}
      {!record && !error && (preview ? <Preview card={preview} /> : <Loading />)}
      {record && sharedInfo(record) && <SharedEntry record={record} onOpen={onOpen} onRemove={onRemove} />}
      {record && !sharedInfo(record) && <Detail record={record} onChanged={(now) => (set(now), onChanged(now))} onOpen={onOpen} onRemove={onRemove} />}
    </Dialog>
  );
}

function Preview({ card }: { card: Card }) {
  const { place } = useApp();
  return (
    <div aria-busy="true">
      <div class="detail-badges">
        <KindBadge kind={card.kind} shared={place.kind === "workspace"} />
        <StateBadge record={card} always={card.kind === "fact"} />
        <span class="faint" title={happened(card.time, card.metadata)}>{age(card.time)}</span>
      </div>
      <LongText text={card.text} />
    </div>
  );
}

/** Recall also finds what the workspace shares; that has a place of its own. */
function NotHere({ id }: { id: string }) {
  const { place } = useApp();
  const shared = { workspace: place.workspace, kind: "workspace" as const, id: "" };
  return (
    <>
      <p class="faint">{t("not_here")}</p>
      {place.kind !== "workspace" && <a href={address("memory", shared, { open: id })}>{t("look_in_shared")}</a>}
    </>
  );
}

function Detail({ record, onChanged, onOpen, onRemove }: { record: Memory } & Pick<Props, "onChanged" | "onOpen" | "onRemove">) {
  const { who, place, refresh } = useApp();
  const [editing, setEditing] = useState(false);
  const scope = scopeOf(place);
  const path = { id: record.id };
  const isFact = record.kind === "fact";
  const act = (asked: Promise<unknown>, words: string, undo?: () => void) =>
    asked.then(() => (say(words, undo), refresh()), complain);
  const approve = () => act(unwrap(api.POST("/v1/facts/{id}/approve", { params: { path }, body: { scope } as never })), t("approved"));
  const reject = () =>
    act(unwrap(api.POST("/v1/facts/{id}/reject", { params: { path }, body: { scope } as never })), t("rejected"), () => void approve());
  const save = async (text: string) => {
    if (isFact) {
      const { id } = await unwrap(api.POST("/v1/facts/{id}/correct", { params: { path }, body: { scope, text } as never }));
      if (id) onOpen(id);
    } else {
      onChanged(await unwrap(api.PATCH("/v1/memories/{id}", { params: { path }, body: { scope, text } as never })));
    }
    setEditing(false);
    say(isFact ? t("corrected") : t("saved"));
    refresh();
  };
  const writable = mayWrite(who);
  return (
    <>
      <div class="detail-badges">
        <KindBadge kind={record.kind} shared={place.kind === "workspace"} />
        <StateBadge record={record} always={isFact} />
        {record.kind !== "event" && <Confidence value={record.confidence} state={record.state} />}
        <span class="faint" title={happened(record.time ?? record.created, record.metadata)}>{age(record.time ?? record.created)}</span>
      </div>
      {editing ? <Editor text={record.text} kind={record.kind} onSave={save} onCancel={() => setEditing(false)} /> : <LongText text={record.text} />}
      {writable && !editing && (
        <div class="row wrap">
          {!NOT_EDITED.includes(record.kind) && record.state !== "superseded" && (
            <button type="button" class="button" onClick={() => setEditing(true)}>
              <Pencil size={16} aria-hidden="true" /> {isFact ? t("correct") : t("edit")}
            </button>
          )}
          {isFact && record.state !== "approved" && (
            <button type="button" class="button quiet" onClick={approve}>
              <Check size={16} aria-hidden="true" /> {t("approve")}
            </button>
          )}
          {isFact && record.state !== "rejected" && record.state !== "superseded" && (
            <button type="button" class="button quiet" onClick={reject}>
              <X size={16} aria-hidden="true" /> {t("not_true")}
            </button>
          )}
          <button type="button" class="button quiet danger-text" onClick={onRemove}>
            <Trash2 size={16} aria-hidden="true" /> {t("delete")}
          </button>
        </div>
      )}
      <div class="detail-tags"><Tags tags={record.metadata["tags"]} most={SHOWN_TAGS} /></div>
      <Evidence record={record} onOpen={onOpen} />
      <History record={record} onOpen={onOpen} />
      <Related record={record} onOpen={onOpen} />
      <Similar record={record} onOpen={onOpen} />
      <About record={record} />
    </>
  );
}

function LongText({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > SHOWN_CHARS;
  return (
    <div class="detail-text">
      <Said text={all ? text : cut(text, SHOWN_CHARS)} />
      {isLong && !all && (
        <button type="button" class="button small quiet" onClick={() => setAll(true)}>
          {t("show_whole", { count: text.length.toLocaleString() })}
        </button>
      )}
    </div>
  );
}

interface EditorProps {
  text: string;
  kind: string;
  onSave: (text: string) => Promise<void>;
  onCancel: () => void;
}

function Editor({ text, kind, onSave, onCancel }: EditorProps) {
  const isFact = kind === "fact";
  const [words, setWords] = useState(text);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setBusy(true);
    onSave(words.trim())
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <form class="editor" onSubmit={submit}>
      <label class="field">
        <span>{isFact ? t("correct_label") : t("edit_label")}</span>
        <textarea
          rows={4}
          dir="auto"
          value={words}
          autofocus
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      {isFact && <p class="faint">{t("correct_words")}</p>}
      {kind === "event" && <p class="faint">{t("edit_event_words")}</p>}
      {error && <ErrorBox error={error} />}
      <div class="row">
        <button type="submit" class="button" disabled={busy || !words.trim() || words.trim() === text}>{t("save")}</button>
        <button type="button" class="button quiet" onClick={onCancel}>{t("cancel")}</button>
      </div>
    </form>
  );
}

interface PartProps {
  record: Memory;
  onOpen: (id: string) => void;
}

function Evidence({ record, onOpen }: PartProps) {
  const { place, version } = useApp();
  const params = { path: { id: record.id }, query: scopeOf(place) };
  const { data } = useResource(`evidence ${record.id}`, () => unwrap(api.GET("/v1/memories/{id}/evidence", { params })), version);
  const quotes = strings(record.metadata["quotes"]);
  const sources = data?.sources ?? [];
  return (
    <section>
      <h3>{t("evidence")}</h3>
      {quotes.map((quote, index) => (
        <blockquote key={index} class="quote"><Quote size={14} aria-hidden="true" /> <Said text={cut(quote, 600)} /></blockquote>
      ))}
      {data && !sources.length && !quotes.length && <p class="faint">{t("no_evidence")}</p>}
      <ul class="plain">
        {sources.slice(0, 30).map((source, index) => (
          <li key={index} class="source"><SourceView record={record} source={source} onOpen={onOpen} /></li>
        ))}
      </ul>
    </section>
  );
}

const SOURCES: Record<string, Key> = {
  event: "kind_event", turn: "kind_turn", message: "source_message", person: "source_person",
  model: "source_model", host: "source_host", tool: "source_tool", missing: "source_missing", page: "kind_profile",
};

function SourceView({ record, source, onOpen }: { record: Memory; source: Source; onOpen: (id: string) => void }) {
  const { place } = useApp();
  const [open, setOpen] = useState(false);
  const isEvent = source.kind === "event" || source.kind === "turn";
  const params = { path: { id: source.id }, query: scopeOf(place) };
  const { data } = useResource(open ? `turn ${source.id}` : "closed", async () =>
    open ? unwrap(api.GET("/v1/memories/{id}/evidence", { params })) : undefined,
  );
  return (
    <>
      <div class="source-head">
        <span class="badge tone-blue">{t(SOURCES[source.kind] ?? "source_message")}</span>
        {source.who && source.who !== source.kind && <strong><Said text={cut(source.who, 80)} /></strong>}
        <span class="faint">{happened(source.time, record.metadata)}</span>
      </div>
      {source.text && <p class="quote"><Said text={cut(source.text, 1200)} /></p>}
      {isEvent && (
        <div class="row wrap">
          <button type="button" class="button small quiet" aria-expanded={open} onClick={() => setOpen(!open)}>{t("raw_turn")}</button>
          <button type="button" class="button small quiet" onClick={() => onOpen(source.id)}>{t("open")}</button>
        </div>
      )}
      {open && data && (
        <ul class="plain turn">
          {data.sources.map((one, index) => (
            <li key={index}>
              <strong><Said text={cut(one.who ?? "", 80)} /></strong> <span class="faint">{dateTime(one.time)}</span>
              <p class="quote"><Said text={cut(one.text, 2000)} /></p>
            </li>
          ))}
          {!data.sources.length && <li class="faint">{t("no_raw_turn")}</li>}
        </ul>
      )}
    </>
  );
}

function History({ record, onOpen }: PartProps) {
  const { place, version } = useApp();
  const params = { path: { id: record.id }, query: scopeOf(place) };
  const { data } = useResource(`history ${record.id}`, () => unwrap(api.GET("/v1/memories/{id}/history", { params })), version);
  const before = data?.versions.slice(1) ?? [];
  if (!before.length) return null;
  return (
    <section>
      <h3>{t("history")}</h3>
      <ol class="plain history">
        {before.map((one, index) => (
          <li key={index}>
            <p class="struck"><Said text={cut(one.text, 600)} /></p>
            <span class="faint">{one.until ? t("said_until", { time: happened(one.until, record.metadata) }) : t("said_before")}</span>{" "}
            {one.id !== record.id && (
              <button type="button" class="button small quiet" onClick={() => onOpen(one.id)}>{t("open")}</button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const LINKS: { name: string; words: Key }[] = [
  { name: "superseded_by", words: "superseded_by" },
  { name: "conflict_with", words: "conflict_with" },
  { name: "related", words: "related" },
];

function Related({ record, onOpen }: PartProps) {
  const { place } = useApp();
  const found = LINKS.flatMap(({ name, words }) => strings(record.metadata[name]).slice(0, 12).map((id) => ({ id, words })));
  const links = found.filter((one) => one.id !== record.id && !isWriter(one.id));
  if (!links.length) return null;
  return (
    <section>
      <h3>{t("connected")}</h3>
      <ul class="plain">
        {links.map(({ id, words }) => (
          <li key={`${words} ${id}`}>
            <LinkedMemory id={id} scope={scopeOf(place)} words={t(words)} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What else is said here about the same, by the vectors of both. */
function Similar({ record, onOpen }: PartProps) {
  const { place, version } = useApp();
  const params = { path: { id: record.id }, query: scopeOf(place) };
  const { data } = useResource(`similar ${record.id}`, () => unwrap(api.GET("/v1/memories/{id}/related", { params })), version);
  if (!data?.related.length) return null;
  return (
    <section class="similar">
      <h3>{t("similar")}</h3>
      <ul class="plain">
        {data.related.map((one) => (
          <li key={one.id}>
            <button type="button" class="moment" onClick={() => onOpen(one.id)}>
              <KindIcon kind={one.kind} />
              <span class="grow"><Said text={cut(one.text, 200)} /></span>
              <span class="similar-score" title={t("similarity")}>
                <Bar value={one.score} label={`${t("similarity")}: ${percent(one.score)}`} />
                <span class="numbers faint">{percent(one.score)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function About({ record }: { record: Memory }) {
  const rows: [string, string | null][] = [
    [t("happened"), record.time ? happened(record.time, record.metadata) : null],
    [t("stored"), dateTime(record.created)],
    [t("true_since"), record.since ? happened(record.since, record.metadata) : null],
    [t("true_until"), record.until ? happened(record.until, record.metadata) : null],
    [t("person"), record.user],
    [t("speaker"), record.speaker],
    [t("session"), record.session],
    [t("id"), record.id],
  ];
  return (
    <section>
      <h3>{t("about")}</h3>
      <dl class="facts-list">
        {rows.filter((row) => row[1]).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd><Said text={cut(value ?? "", 200)} /></dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>{t("all_data")}</summary>
        <pre class="data" tabIndex={0} role="region" aria-label={t("all_data")}>{cut(JSON.stringify(record.metadata, null, 1), 20_000)}</pre>
      </details>
    </section>
  );
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return value ? [value] : [];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
