/** What the memory page lists: pages of records, or what a question finds. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, unwrap, type Memory } from "../api";
import { tagOf } from "../tag_names";
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
export const LISTED: Kinds = ["fact", "event", "turn", "summary", "procedure", "short_term", "note", "observation"];
const PAGE = 100;
const AT_ONCE = 1000; // of what is shown, when it is read again as something changed
const KEPT = 16;
const HITS = 50;
const SECONDS = 2;

export interface Listing {
  items: Card[];
  error: Error | undefined;
  loading: boolean;
  /** What `items` are of: changes when a list of something else is shown. */
  key: string;
  /** Whether `items` are of the filters and words of now, not of those before. */
  current: boolean;
  more: boolean;
  loadMore: () => void;
  reload: () => void;
  /** Shows a record as it is by now, before the list is read again. */
  replace: (record: Memory) => void;
}

interface Found {
  items: Card[];
  next: string | null;
}

interface State extends Found {
  key: string;
  error?: Error;
  loading: boolean;
}

export function kindsOf(filters: Filters): Kinds {
  return filters.kind ? (filters.kind.split(",") as Kinds) : LISTED;
}

function query(place: Place, filters: Filters, text: string, kinds: Memory["kind"][] | undefined) {
  const day = (value: string, end: boolean) => (value ? new Date(`${value}T${end ? "23:59:59.999" : "00:00:00"}`).toISOString() : undefined);
  return {
    ...scopeOf(place),
    kinds: kinds as never,
    states: (filters.state ? [filters.state] : undefined) as never,
    tag: tagOf(filters.tag) || undefined,
    person: filters.person || undefined,
    text: text || undefined,
    time_from: day(filters.from, false),
    time_to: day(filters.to, true),
    min_confidence: filters.sure ? Number(filters.sure) : undefined,
    expired: filters.expired ? true : undefined,
    preview: true,
  };
}

/**
 * By meaning, what a question finds; otherwise all that fits, newest first, read page by page.
 *
 * Until an answer comes, what was shown before stays, or what the same question found a moment ago
 * if nothing was written since.
 */
export function useListing(place: Place, filters: Filters, words: string, byMeaning: boolean, version: number): Listing {
  const [state, setState] = useState<State>({ key: "", items: [], next: null, loading: true });
  const [again, setAgain] = useState(0);
  const recent = useRef({ version, found: new Map<string, Found>() });
  const loaded = useRef(0);
  const asking = useRef("");
  const question = useRef<Promise<unknown>>(Promise.resolve());
  const shown = useRef("");
  const kinds = kindsOf(filters);
  const key = JSON.stringify([placeKey(place), filters, words, Boolean(words) && byMeaning]);
  if (state.key === key) loaded.current = state.items.length;

  useEffect(() => {
    const stop = new AbortController();
    if (recent.current.version !== version) recent.current = { version, found: new Map() };
    const { found: known } = recent.current;
    const isSame = shown.current === key;
    shown.current = key;
    if (filters.kind === "shared") { // listed by a tab of its own
      setState({ key, items: [], next: null, loading: false });
      return undefined;
    }
    const before = known.get(key);
    if (isSame || !before) setState((was) => ({ key: was.key, items: was.items, next: was.key === key ? was.next : null, loading: true }));
    else setState({ key, ...before, loading: true });
    const wanted = isSame ? loaded.current : PAGE;
    const asked = words && byMeaning ? search(stop.signal) : list(stop.signal, wanted);
    asked.then(show).then(readFurther).catch(
      (error: Error) => stop.signal.aborted || setState((was) => ({ ...(was.key === key ? was : { key, items: [], next: null }), error, loading: false })),
    );
    return () => stop.abort();

    function show(found: Found): Found {
      if (stop.signal.aborted) return found;
      keep(known, key, found);
      setState((was) => ({ key, ...(was.key === key && isSame ? joined(found, was) : found), loading: false }));
      return found;
    }

    /** What was scrolled to further down may have changed, too. */
    async function readFurther(found: Found): Promise<void> {
      while (found.next && found.items.length < wanted && !stop.signal.aborted) {
        const { items, next } = await list(stop.signal, wanted - found.items.length, found.next);
        found = show({ items: found.items.concat(items), next });
      }
    }

    async function list(signal: AbortSignal, count: number, after?: string): Promise<Found> {
      const limit = Math.min(AT_ONCE, Math.max(PAGE, count));
      const page = await unwrap(api.GET("/v1/browse", { params: { query: { ...query(place, filters, words, kinds), after, limit } }, signal }));
      return { items: page.items.map(cardOf), next: page.next };
    }

    async function search(signal: AbortSignal) {
      const { time_from, time_to } = query(place, filters, words, kinds);
      const body = { scope: scopeOf(place), query: words, top_k: HITS, kinds: kinds as never, time_from, time_to, deadline: SECONDS };
      // One at a time: a server that reads its index just now must not be asked anew for every letter.
      await question.current;
      signal.throwIfAborted();
      const asked = unwrap(api.POST("/v1/recall", { body: body as never }));
      question.current = asked.catch(() => undefined);
      const found = await asked;
      return { items: found.hits.map(cardOfHit), next: null };
    }
  }, [key, version, again]);

  const current = state.key === key;
  const after = current ? state.next : null;
  const loadMore = useCallback(() => {
    const page = `${key} ${after}`;
    if (!after || asking.current === page) return;
    asking.current = page;
    const params = { query: { ...query(place, filters, words, kinds), after, limit: PAGE } };
    unwrap(api.GET("/v1/browse", { params }))
      .then(
        ({ items, next }) =>
          setState((was) => {
            if (was.key !== key || was.next !== after) return was; // something else is shown by now
            return { ...was, items: was.items.concat(items.map(cardOf)), next };
          }),
        (error: Error) => setState((was) => (was.key === key ? { ...was, error } : was)),
      )
      .finally(() => {
        if (asking.current === page) asking.current = "";
      });
  }, [key, after]);
  const reload = useCallback(() => setAgain((count) => count + 1), []);
  const replace = useCallback(
    (record: Memory) => setState((was) => ({ ...was, items: was.items.map((one) => (one.id === record.id ? { ...cardOf(record), ...(one.score !== undefined && { score: one.score }) } : one)) })),
    [],
  );
  return { key: state.key, items: state.items, error: current ? state.error : undefined, loading: state.loading, current, more: Boolean(after), loadMore, reload, replace };
}

/** The first ones were read again; what is shown further down stays, so that nobody loses the place. */
function joined(fresh: Found, was: Found): Found {
  const last = fresh.items[fresh.items.length - 1]?.id;
  const at = last === undefined ? -1 : was.items.findIndex((one) => one.id === last);
  if (!fresh.next || at < 0 || at + 1 >= was.items.length) return fresh;
  return { items: fresh.items.concat(was.items.slice(at + 1)), next: was.next };
}

function keep(known: Map<string, Found>, key: string, found: Found): void {
  known.delete(key);
  known.set(key, found);
  if (known.size > KEPT) known.delete(known.keys().next().value as string);
}

function cardOf(record: Memory): Card {
  return { ...record, time: record.time ?? record.created };
}

function cardOfHit(hit: { id: string; kind: string; text: string; time: string | null; score: number; metadata: Record<string, unknown> }): Card {
  const sure = hit.metadata["confidence"];
  return { ...hit, state: "approved", until: null, confidence: typeof sure === "number" ? sure : null };
}
