/** What the memory page lists: pages of records, or what a question finds. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, unwrap, type Memory } from "../api";
import { placeKey, scopeOf, type Place } from "../place";

export interface Filters {
  kind: string;
  state: string;
  tag: string;
  person: string;
  from: string;
  to: string;
  sure: string;
  expired: string;
}

export interface Card {
  id: string;
  kind: string;
  text: string;
  time: string | null;
  state: string;
  until: string | null;
  confidence: number | null;
  metadata: Record<string, unknown>;
  score?: number;
}

type Kinds = NonNullable<Parameters<typeof query>[3]>;
/** Not chunks: one document has hundreds. They have a tab and a page of their own. */
const ALL: Kinds = ["fact", "event", "turn", "summary", "procedure", "short_term", "note", "observation"];
const PAGE = 100;
const HITS = 50;
const SECONDS = 2;

export interface Listing {
  items: Card[];
  error: Error | undefined;
  loading: boolean;
  more: boolean;
  loadMore: () => void;
  reload: () => void;
}

export function kindsOf(filters: Filters): Kinds {
  return filters.kind ? (filters.kind.split(",") as Kinds) : ALL;
}

function query(place: Place, filters: Filters, text: string, kinds: Memory["kind"][] | undefined) {
  const day = (value: string, end: boolean) => (value ? new Date(`${value}T${end ? "23:59:59.999" : "00:00:00"}`).toISOString() : undefined);
  return {
    ...scopeOf(place),
    kinds: kinds as never,
    states: (filters.state ? [filters.state] : undefined) as never,
    tag: filters.tag || undefined,
    person: filters.person || undefined,
    text: text || undefined,
    time_from: day(filters.from, false),
    time_to: day(filters.to, true),
    min_confidence: filters.sure ? Number(filters.sure) : undefined,
    expired: filters.expired ? true : undefined,
    preview: true,
  };
}

/** By meaning, what a question finds; otherwise all that fits, newest first, read page by page. */
export function useListing(place: Place, filters: Filters, words: string, byMeaning: boolean, version: number): Listing {
  const [state, setState] = useState<{ items: Card[]; next: string | null; error?: Error; loading: boolean }>({
    items: [],
    next: null,
    loading: true,
  });
  const [again, setAgain] = useState(0);
  const loaded = useRef(PAGE);
  const busy = useRef(false);
  const kinds = kindsOf(filters);
  const key = JSON.stringify([placeKey(place), filters, words, byMeaning]);
  const shown = useRef("");

  useEffect(() => {
    const stop = new AbortController();
    if (filters.kind === "shared") { // listed by a tab of its own
      shown.current = key;
      setState({ items: [], next: null, loading: false });
      return undefined;
    }
    const isSame = shown.current === key;
    if (!isSame) loaded.current = PAGE;
    shown.current = key;
    setState((was) => (isSame ? { ...was, loading: true } : { items: [], next: null, loading: true }));
    const asked = words && byMeaning ? search(stop.signal) : list(stop.signal);
    asked.then(
      (found) => stop.signal.aborted || setState({ ...found, loading: false }),
      (error: Error) => stop.signal.aborted || setState((was) => ({ ...was, error, loading: false })),
    );
    return () => stop.abort();

    async function list(signal: AbortSignal) {
      const limit = Math.min(1000, Math.max(PAGE, loaded.current));
      const page = await unwrap(api.GET("/v1/browse", { params: { query: { ...query(place, filters, words, kinds), limit } }, signal }));
      return { items: page.items.map(cardOf), next: page.next };
    }

    async function search(signal: AbortSignal) {
      const { time_from, time_to } = query(place, filters, words, kinds);
      const body = { scope: scopeOf(place), query: words, top_k: HITS, kinds: kinds as never, time_from, time_to, deadline: SECONDS };
      const found = await unwrap(api.POST("/v1/recall", { body: body as never, signal }));
      return { items: found.hits.map(cardOfHit), next: null };
    }
  }, [key, version, again]);

  const loadMore = useCallback(() => {
    if (!state.next || busy.current) return;
    busy.current = true;
    const params = { query: { ...query(place, filters, words, kinds), after: state.next, limit: PAGE } };
    unwrap(api.GET("/v1/browse", { params }))
      .then(
        (page) =>
          setState((was) => {
            if (was.next !== state.next) return was; // something else is shown by now
            const known = new Set(was.items.map((one) => one.id));
            const items = [...was.items, ...page.items.map(cardOf).filter((one) => !known.has(one.id))];
            loaded.current = items.length;
            return { items, next: page.next, loading: false };
          }),
        (error: Error) => setState((was) => ({ ...was, error })),
      )
      .finally(() => {
        busy.current = false;
      });
  }, [key, state.next]);
  const reload = useCallback(() => setAgain((count) => count + 1), []);
  return { items: state.items, error: state.error, loading: state.loading, more: Boolean(state.next), loadMore, reload };
}

function cardOf(record: Memory): Card {
  return { ...record, time: record.time ?? record.created };
}

function cardOfHit(hit: { id: string; kind: string; text: string; time: string | null; score: number; metadata: Record<string, unknown> }): Card {
  const sure = hit.metadata["confidence"];
  return { ...hit, state: "approved", until: null, confidence: typeof sure === "number" ? sure : null };
}
