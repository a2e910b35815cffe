/** Everything that is remembered in a place: tabs, search, filters, cards, and one memory in full. */
import { CalendarDays, ChartScatter, Check, List, ListChecks, ListFilter, Search, Trash2, X } from "lucide-preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, unwrap, type Removed } from "../api";
import { Confidence, Dialog, Empty, ErrorBox, Loading, Said, Tags } from "../components/basics";
import { useEdges } from "../components/edges";
import { KindBadge, KindIcon, lookOf, StateBadge } from "../components/kinds";
import { complain, later, say } from "../components/toasts";
import { VirtualList } from "../components/virtual_list";
import { mayWrite, useApp } from "../context";
import { age, cut, happened, percent, withoutTime } from "../format";
import { t, type Key } from "../i18n";
import { onSlash } from "../keys";
import { scopeOf } from "../place";
import { useDebounced } from "../resource";
import { address, go, useRoute } from "../router";
import { HealthStrip } from "./health";
import { kindsOf, useListing, type Card, type Filters } from "./memory_data";
import { MeaningMap } from "./meaning_map";
import { MemoryDetail } from "./memory_detail";
import { MemoryFilters, NO_FILTERS } from "./memory_filters";
import { SharedTab } from "./shared_tab";
import { Timeline } from "./timeline";

const SHARED = "shared"; // not a kind of record: what the whole workspace knows
const TABS: { name: Key; kind: string }[] = [
  { name: "tab_all", kind: "" }, // pages about people have a page of their own
  { name: "tab_facts", kind: "fact" },
  { name: "tab_events", kind: "event,turn,summary" },
  { name: "tab_procedures", kind: "procedure" },
  { name: "tab_shared", kind: SHARED },
  { name: "nav_knowledge", kind: "chunk" },
];
const TEXT_CHARS = 300;
/** Pauses after a key press: a question costs the model a while, words cost nearly nothing. */
const MEANING_MS = 40;
const WORDS_MS = 20;
/** How sure one is says something only of what was concluded, not of what happened. */
const LEARNED = new Set(["fact", "procedure", "short_term"]);

export function MemoryPage() {
  const { who, place, version, refresh } = useApp();
  const { params } = useRoute();
  const [words, setWords] = useState("");
  const [byMeaning, setByMeaning] = useState(true);
  const [showFilters, setShowFilters] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [cleaning, setCleaning] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null); // null: not selecting
  const tabs = useEdges<HTMLDivElement>();
  const searchBox = useRef<HTMLInputElement>(null);
  const filters = useMemo(() => filtersIn(params), [params.toString()]);
  const settled = useDebounced(words.trim(), byMeaning ? MEANING_MS : WORDS_MS);
  const listing = useListing(place, filters, settled, byMeaning, version);
  const isSettled = listing.current && settled === words.trim();
  const opened = params.get("open");
  const isShared = filters.kind === SHARED;
  const isMap = !isShared && params.get("view") === "map";
  const isListed = !isShared && !isMap; // else there is nothing to narrow but the kind
  const narrowed = Object.entries(filters).filter(([name, value]) => value && name !== "kind").length;

  const change = useCallback(
    (changes: Partial<Filters> & { open?: string; view?: string }) => {
      const { place: _, workspace: __, ...known } = Object.fromEntries(params);
      go("memory", place, { ...known, ...changes });
    },
    [params, place],
  );
  useEffect(() => onSlash(() => searchBox.current?.focus()), []);

  const remove = useCallback(
    (ids: string[], words: string) => {
      setHidden((was) => new Set([...was, ...ids]));
      const show = () => setHidden((was) => new Set([...was].filter((id) => !ids.includes(id))));
      const forget = () =>
        Promise.all(ids.map((id) => unwrap(api.DELETE("/v1/memories/{id}", { params: { path: { id }, query: scopeOf(place) }, keepalive: true })))).then(
          (done) => (refresh(), sayWhatStays(done)),
          (error) => (show(), complain(error)),
        );
      later(words, () => void forget(), show);
    },
    [place, refresh],
  );
  const items = useMemo(() => (hidden.size ? listing.items.filter((one) => !hidden.has(one.id)) : listing.items), [listing.items, hidden]);
  const narrow = useNarrow();
  const render = useCallback(
    (card: Card) => (
      <MemoryCard
        card={card}
        shared={place.kind === "workspace"}
        current={card.id === opened}
        selected={selected ? selected.has(card.id) : null}
        onOpen={() => (selected ? setSelected(toggled(selected, card.id)) : change({ open: card.id }))}
      />
    ),
    [change, opened, place.kind, selected],
  );

  return (
    <div class="page memory-page" aria-busy={!isSettled}>
      <h1 class="visually-hidden">{t("nav_memory")}</h1>
      <HealthStrip />
      <div class="toolbar">
        <div class="tabs" ref={tabs} role="group" aria-label={t("kinds")}>
          {TABS.map((tab) => {
            const look = tab.kind ? lookOf(tab.kind.split(",")[0]!, tab.kind === SHARED) : null;
            return (
              <button
                key={tab.kind}
                type="button"
                class={`tab ${look ? `tab-${look.tone}` : ""}`}
                aria-pressed={filters.kind === tab.kind}
                onClick={() => change({ kind: tab.kind, view: tab.kind === SHARED ? "" : (params.get("view") ?? "") })}
              >
                {look && <look.icon size={16} aria-hidden="true" />} {t(tab.name)}
              </button>
            );
          })}
        </div>
        <div class="search-row">
          <label class="search grow">
            <Search size={18} aria-hidden="true" />
            <span class="visually-hidden">{t("search")}</span>
            <input
              ref={searchBox}
              type="search"
              value={words}
              placeholder={t("search_hint")}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </label>
          {isListed && <div class="segments" role="group" aria-label={t("search_by")}>
            <button type="button" aria-pressed={byMeaning} onClick={() => setByMeaning(true)}>{t("by_meaning")}</button>
            <button type="button" aria-pressed={!byMeaning} onClick={() => setByMeaning(false)}>{t("by_words")}</button>
          </div>}
          {!isShared && <div class="segments" role="group" aria-label={t("view")}>
            <button type="button" aria-label={t("view_list")} title={t("view_list")} aria-pressed={params.get("view") !== "timeline" && !isMap} onClick={() => change({ view: "" })}>
              <List size={17} aria-hidden="true" />
            </button>
            <button type="button" aria-label={t("timeline")} title={t("timeline")} aria-pressed={params.get("view") === "timeline"} onClick={() => change({ view: "timeline" })}>
              <CalendarDays size={17} aria-hidden="true" />
            </button>
            <button type="button" aria-label={t("map")} title={t("map")} aria-pressed={isMap} onClick={() => change({ view: "map" })}>
              <ChartScatter size={17} aria-hidden="true" />
            </button>
          </div>}
          {mayWrite(who) && !isShared && (
            <button
              type="button"
              class="button quiet"
              aria-label={t("select")}
              title={t("select")}
              aria-pressed={selected !== null}
              onClick={() => (setSelected(selected ? null : new Set()), change({ view: "" }))}
            >
              <ListChecks size={18} aria-hidden="true" />
            </button>
          )}
          {isListed && <button
            type="button"
            class="button quiet"
            aria-label={t("filters")}
            aria-expanded={showFilters}
            aria-controls="filters"
            onClick={() => setShowFilters(!showFilters)}
          >
            <ListFilter size={18} aria-hidden="true" /> <span class="button-words">{t("filters")}</span> {narrowed > 0 && <span class="count">{narrowed}</span>}
          </button>}
        </div>
        {selected && !isShared && (
          <BulkBar
            items={listing.current ? items.filter((one) => selected.has(one.id)) : []}
            onAll={() => setSelected(new Set(items.map((one) => one.id)))}
            onDone={() => setSelected(null)}
            onRemove={(ids) => (setSelected(null), remove(ids, t("deleted_many", { count: ids.length })))}
          />
        )}
        {showFilters && isListed && <MemoryFilters filters={filters} onChange={change} />}
        {filters.expired && (
          <div class="notice">
            <span>{t("expired_words")}</span>
            {mayWrite(who) && listing.current && items.length > 0 && (
              <button type="button" class="button small" onClick={() => setCleaning(true)}>
                <Trash2 size={16} aria-hidden="true" /> {t("clean_up")}
              </button>
            )}
            <button type="button" class="button small quiet" onClick={() => change({ expired: "" })}>
              <X size={16} aria-hidden="true" /> {t("show_all")}
            </button>
          </div>
        )}
      </div>
      {listing.error && <ErrorBox error={listing.error} retry={listing.reload} />}
      {isShared && <SharedTab words={settled} opened={opened} onOpen={(id) => change({ open: id })} />}
      {isMap && <MeaningMap kinds={kindsOf(filters)} words={settled} onOpen={(id) => change({ open: id })} />}
      {!isShared && !isMap && !listing.error && !items.length && (listing.loading || !listing.current ? <Loading /> : <NothingHere kind={filters.kind} searched={settled ? (byMeaning ? "meaning" : "words") : ""} narrowed={narrowed > 0} onClear={() => (setWords(""), change(NO_FILTERS))} />)}
      {items.length > 0 && params.get("view") === "timeline" && (
        <Timeline items={items} more={listing.more} onMore={listing.loadMore} onOpen={(id) => change({ open: id })} />
      )}
      {items.length > 0 && params.get("view") !== "timeline" && !isMap && (
        <VirtualList
          items={items}
          identity={listing.key}
          rowHeight={narrow ? 116 : 92}
          keyOf={(one) => one.id}
          render={render}
          onEnd={listing.loadMore}
          label={t("nav_memory")}
          footer={listing.more ? <Loading /> : undefined}
        />
      )}
      {opened && !isShared && (
        <MemoryDetail
          key={opened}
          id={opened}
          preview={items.find((one) => one.id === opened)}
          onChanged={listing.replace}
          onClose={() => change({ open: "" })}
          onOpen={(id) => change({ open: id })}
          onRemove={() => (change({ open: "" }), remove([opened], t("deleted")))}
        />
      )}
      {cleaning && listing.current && (
        <CleanUp
          items={items}
          more={listing.more}
          onClose={() => setCleaning(false)}
          onRemove={() => {
            setCleaning(false);
            remove(items.map((one) => one.id), t("deleted_many", { count: items.length }));
          }}
        />
      )}
    </div>
  );
}

interface CardProps {
  card: Card;
  shared: boolean;
  current: boolean;
  selected: boolean | null;
  onOpen: () => void;
}

function MemoryCard({ card, shared, current, selected, onOpen }: CardProps) {
  const sources = sourceCount(card.metadata);
  const look = lookOf(card.kind, shared);
  return (
    <button type="button" class={`card edge-${look.tone}`} aria-current={current ? "true" : undefined} aria-pressed={selected ?? undefined} onClick={onOpen}>
      {selected ? <span class="kind-icon picked" aria-hidden="true"><Check size={18} /></span> : <KindIcon kind={card.kind} shared={shared} />}
      <span class="card-inside">
        <span class="card-text">
          <Said text={cut(withoutTime(card.text), TEXT_CHARS)} />
        </span>
        <span class="card-foot">
          <KindBadge kind={card.kind} shared={shared} />
          <StateBadge record={card} />
          {card.score !== undefined && <span class="badge tone-purple">{t("match", { score: card.score.toFixed(2) })}</span>}
          {card.confidence !== null && card.score === undefined && LEARNED.has(card.kind) && <Confidence value={card.confidence} state={card.state} />}
          {sources > 1 && <span class="faint">{t("sources_count", { count: sources })}</span>}
          <Tags tags={card.metadata["tags"]} most={3} />
          <time class="faint card-age" dateTime={card.time ?? undefined} title={happened(card.time, card.metadata)}>
            {age(card.time)}
          </time>
        </span>
      </span>
    </button>
  );
}

export function sourceCount(data: Record<string, unknown>): number {
  const counted = data["evidence_count"];
  if (typeof counted === "number") return counted;
  return Array.isArray(data["sources"]) ? data["sources"].length : 0;
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface BulkProps {
  items: Card[];
  onAll: () => void;
  onDone: () => void;
  onRemove: (ids: string[]) => void;
}

/** What became of the events that told what was deleted, and of what still says it. */
function sayWhatStays(done: Removed[]): void {
  const ids = (of: "went" | "changed" | "still_told_by") => new Set(done.flatMap((one) => one[of] ?? [])).size;
  const words = [
    ids("went") && t("deleted_events_went", { count: ids("went") }),
    ids("changed") && t("deleted_events_stay", { count: ids("changed") }),
    ids("still_told_by") && t("deleted_still_told", { count: ids("still_told_by") }),
  ].filter(Boolean);
  if (words.length) say(words.join(" "));
}

/** One decision for many: facts are approved or rejected, anything is deleted. */
function BulkBar({ items, onAll, onDone, onRemove }: BulkProps) {
  const { place, refresh } = useApp();
  const facts = items.filter((one) => one.kind === "fact");
  const decide = async (what: "approve" | "reject") => {
    try {
      for (const fact of facts) {
        await unwrap(api.POST(`/v1/facts/{id}/${what}`, { params: { path: { id: fact.id } }, body: { scope: scopeOf(place) } as never }));
      }
      say(t(what === "approve" ? "approved_many" : "rejected_many", { count: facts.length }));
      onDone();
    } catch (error) {
      complain(error);
    }
    refresh();
  };
  return (
    <div class="notice bulk" role="group" aria-label={t("select")}>
      <strong class="grow">{t("selected_count", { count: items.length })}</strong>
      <button type="button" class="button small quiet" onClick={onAll}>{t("select_all")}</button>
      {facts.length > 0 && facts.length === items.length && (
        <>
          <button type="button" class="button small" onClick={() => void decide("approve")}>{t("approve")}</button>
          <button type="button" class="button small quiet" onClick={() => void decide("reject")}>{t("not_true")}</button>
        </>
      )}
      <button type="button" class="button small danger" disabled={!items.length} onClick={() => onRemove(items.map((one) => one.id))}>
        <Trash2 size={15} aria-hidden="true" /> {t("delete")}
      </button>
      <button type="button" class="button small quiet" onClick={onDone}>{t("done")}</button>
    </div>
  );
}

const EMPTY_TABS: Record<string, [Key, Key]> = {
  fact: ["no_facts", "no_facts_words"],
  "event,turn,summary": ["no_events", "no_events_words"],
  procedure: ["no_procedures", "no_procedures_words"],
  chunk: ["no_documents", "no_chunks_words"],
};

interface NothingProps {
  kind: string;
  /** By what was searched; empty: not at all. */
  searched: "" | "meaning" | "words";
  narrowed: boolean;
  onClear: () => void;
}

/** Why there is nothing, and what would bring something. */
function NothingHere({ kind, searched, narrowed, onClear }: NothingProps) {
  const { place, summary } = useApp();
  if (searched || narrowed) {
    const why = searched ? (searched === "meaning" ? "nothing_by_meaning" : "nothing_by_words") : "nothing_by_filters";
    return (
      <Empty title={t("nothing_found")}>
        <p>{t(why)}</p>
        <p><button type="button" class="button" onClick={onClear}>{t("clear_all")}</button></p>
      </Empty>
    );
  }
  const passages = summary?.kinds["chunk"] ?? 0;
  const knowledge = <p><a href={address("knowledge", place)}>{t("open_knowledge")}</a></p>;
  const [title, words] = EMPTY_TABS[kind] ?? (place.kind === "workspace" ? (["nothing_shared", "nothing_shared_words"] as const) : (["nothing_here", "nothing_here_words"] as const));
  return (
    <Empty title={t(title)}>
      <p>{t(words)}</p>
      {!kind && passages > 0 && <p>{t("only_documents", { count: passages })}</p>}
      {(kind === "chunk" || (!kind && passages > 0)) && knowledge}
    </Empty>
  );
}

interface CleanUpProps {
  items: Card[];
  more: boolean;
  onClose: () => void;
  onRemove: () => void;
}

/** Says exactly what goes, before it goes. */
function CleanUp({ items, more, onClose, onRemove }: CleanUpProps) {
  return (
    <Dialog title={t("clean_up")} onClose={onClose}>
      <p>{t("clean_up_words", { count: items.length })} {more && t("clean_up_more")}</p>
      <ul class="plain scroll" tabIndex={0} aria-label={t("clean_up")}>
        {items.map((one) => (
          <li key={one.id}>
            <KindBadge kind={one.kind} /> <Said text={cut(one.text, 160)} />{" "}
            <span class="faint">{one.confidence === null ? "" : percent(one.confidence)}</span>
          </li>
        ))}
      </ul>
      <div class="row end">
        <button type="button" class="button quiet" onClick={onClose}>{t("cancel")}</button>
        <button type="button" class="button danger" onClick={onRemove}>
          <Trash2 size={16} aria-hidden="true" /> {t("delete_these", { count: items.length })}
        </button>
      </div>
    </Dialog>
  );
}

function filtersIn(params: URLSearchParams): Filters {
  const one = (name: string) => params.get(name) ?? "";
  return {
    kind: one("kind"), state: one("state"), tag: one("tag"), person: one("person"),
    from: one("from"), to: one("to"), sure: one("sure"), expired: one("expired"),
  };
}

function useNarrow(): boolean {
  const media = useMemo(() => matchMedia("(max-width: 720px)"), []);
  const [narrow, setNarrow] = useState(media.matches);
  useEffect(() => {
    const changed = () => setNarrow(media.matches);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);
  return narrow;
}
