/** What waits for a person: facts to approve, and pairs that contradict each other. One key decides. */
import { Check, Pencil, UsersRound, X } from "lucide-preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, unwrap, type Conflict, type Memory } from "../api";
import { Confidence, Empty, ErrorBox, Loading, Said } from "../components/basics";
import { KindBadge } from "../components/kinds";
import { complain, say } from "../components/toasts";
import { mayWrite, useApp } from "../context";
import { age, cut, happened } from "../format";
import { t } from "../i18n";
import { placeKey, scopeOf } from "../place";
import { useResource } from "../resource";
import { approveShared, rejectShared, replaceShared, resolveShared, sharedConflicts, sharedInfo, sharedType, waitingEntries, writerName } from "../shared";
import { sourceCount } from "./memory";

type Item = { id: string; fact: Memory; pair?: Conflict; shared: boolean };

export function ReviewPage() {
  const { who, place, version, refresh } = useApp();
  const query = scopeOf(place);
  const { data, error, loading, reload } = useResource(
    `review ${placeKey(place)}`,
    async () => {
      const [{ conflicts }, { facts }, proposals, disputes] = await Promise.all([
        unwrap(api.GET("/v1/facts/conflicts", { params: { query } })),
        unwrap(api.GET("/v1/facts", { params: { query: { ...query, states: ["candidate"], limit: 200 } } })),
        waitingEntries(who, place),
        sharedConflicts(who, place),
      ]);
      const pairOf = (shared: boolean) => (pair: Conflict): Item => ({ id: `${pair.older.id} ${pair.newer.id}`, fact: pair.newer, pair, shared });
      const oneOf = (shared: boolean) => (fact: Memory): Item => ({ id: fact.id, fact, shared });
      return [
        ...conflicts.filter((pair) => !sharedInfo(pair.newer)).map(pairOf(false)),
        ...disputes.map(pairOf(true)),
        ...facts.filter((fact) => !sharedInfo(fact)).map(oneOf(false)),
        ...proposals.filter((entry) => entry.state === "candidate").map(oneOf(true)),
      ];
    },
    version,
  );
  const [at, setAt] = useState(0);
  const [editing, setEditing] = useState("");
  const items = data ?? [];
  const current = Math.min(at, Math.max(0, items.length - 1));

  const done = useCallback((asked: Promise<unknown>, words: string) => asked.then(() => (say(words), refresh()), complain), [refresh]);
  const decide = useCallback(
    (item: Item, what: "approve" | "reject") => {
      if (item.shared && what === "approve") {
        const asked = approveShared(who, place, item.fact.id);
        return asked.then((state) => (say(t(state === "conflict" ? "approved_conflict" : "approved")), refresh()), complain);
      }
      if (item.shared) return done(rejectShared(who, place, item.fact.id), t("shared_rejected"));
      return done(
        unwrap(api.POST(`/v1/facts/{id}/${what}`, { params: { path: { id: item.fact.id } }, body: { scope: query } as never })),
        what === "approve" ? t("approved") : t("rejected"),
      );
    },
    [done],
  );
  const settle = useCallback(
    ({ pair, shared }: { pair: Conflict; shared: boolean }, keep: "older" | "newer" | "both") => {
      if (shared) {
        const [kept, dropped] = keep === "newer" ? [pair.newer, pair.older] : [pair.older, pair.newer];
        return done(resolveShared(who, place, kept.id, dropped.id, keep === "both"), keep === "both" ? t("both_kept") : t("settled"));
      }
      if (keep === "both") {
        return done(
          unwrap(api.POST("/v1/facts/{id}/approve", { params: { path: { id: pair.newer.id } }, body: { scope: query } as never })),
          t("both_kept"),
        );
      }
      const drop = keep === "older" ? pair.newer.id : pair.older.id;
      return done(unwrap(api.POST("/v1/facts/conflicts/resolve", { body: { scope: query, keep: pair[keep].id, drop } as never })), t("settled"));
    },
    [done],
  );

  // With the new current entry in place before the next key: an effect after painting would let a key
  // that follows quickly decide the entry before it.
  useLayoutEffect(() => {
    if (!mayWrite(who)) return undefined;
    const pressed = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      const item = items[current];
      const key = event.key.toLowerCase();
      if (key === "j" || key === "arrowdown") setAt(Math.min(current + 1, items.length - 1));
      else if (key === "k" || key === "arrowup") setAt(Math.max(current - 1, 0));
      else if (!item) return;
      else if (item.pair && (key === "1" || key === "2")) void settle({ pair: item.pair, shared: item.shared }, key === "1" ? "older" : "newer");
      else if (item.pair && key === "b") void settle({ pair: item.pair, shared: item.shared }, "both");
      else if (!item.pair && (key === "a" || key === "r")) void decide(item, key === "a" ? "approve" : "reject");
      else if (!item.pair && item.fact.kind === "fact" && key === "e") setEditing(item.id);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [items, current, decide, settle, who]);

  return (
    <div class="page review-page">
      <header class="page-head">
        <h1>{t("nav_review")}</h1>
        <p class="faint keys-help">{t("review_keys")}</p>
      </header>
      {error && <ErrorBox error={error} retry={reload} />}
      {!data && loading && <Loading />}
      {data && !items.length && (
        <Empty title={t("nothing_waits")}>
          <p>{t("nothing_waits_words")}</p>
        </Empty>
      )}
      <ol class="plain reviews">
        {items.map((item, index) => (
          <ReviewItem key={item.id} current={index === current} onFocus={() => setAt(index)}>
            {item.pair ? (
              <ConflictView
                pair={item.pair}
                shared={item.shared}
                writable={mayWrite(who)}
                onSettle={(keep) => void settle({ pair: item.pair!, shared: item.shared }, keep)}
              />
            ) : (
              <CandidateView
                fact={item.fact}
                shared={item.shared}
                writable={mayWrite(who)}
                editing={editing === item.id}
                onEdit={(on) => setEditing(on ? item.id : "")}
                onDecide={(what) => void decide(item, what)}
              />
            )}
          </ReviewItem>
        ))}
      </ol>
    </div>
  );
}

function ReviewItem({ current, onFocus, children }: { current: boolean; onFocus: () => void; children: preact.ComponentChildren }) {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (current) element.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <li ref={element} class={current ? "panel review current" : "panel review"} onFocusCapture={onFocus} onMouseDown={onFocus}>
      {children}
    </li>
  );
}

interface ConflictProps {
  pair: Conflict;
  shared: boolean;
  writable: boolean;
  onSettle: (keep: "older" | "newer" | "both") => void;
}

export function ConflictView({ pair, shared, writable, onSettle }: ConflictProps) {
  const sides = [
    { fact: pair.older, keep: "older" as const, name: t("earlier"), press: "1" },
    { fact: pair.newer, keep: "newer" as const, name: t("later"), press: "2" },
  ];
  return (
    <>
      <h2>{shared ? t("which_holds") : t("which_is_true")}</h2>
      <div class="sides">
        {sides.map(({ fact, keep, name, press }) => (
          <div key={keep} class="side-fact">
            <div class="detail-badges">
              <span class="badge tone-red">{name}</span>
              <Confidence value={fact.confidence} />
              <span class="faint" title={happened(fact.time ?? fact.created, fact.metadata)}>{age(fact.time ?? fact.created)}</span>
            </div>
            <p class="review-text"><Said text={cut(fact.text, 1000)} /></p>
            {shared && <SharedWords fact={fact} />}
            {writable && (
              <button type="button" class="button wide" onClick={() => onSettle(keep)}>
                <kbd>{press}</kbd> {t("this_is_true")}
              </button>
            )}
          </div>
        ))}
      </div>
      {writable && (
        <button type="button" class="button quiet" onClick={() => onSettle("both")}>
          <kbd>b</kbd> {shared ? t("both_hold") : t("both_are_true")}
        </button>
      )}
    </>
  );
}

/** What kind of entry it is, and who proposed it. */
function SharedWords({ fact }: { fact: Memory }) {
  const info = sharedInfo(fact);
  return (
    <p class="row wrap faint">
      <span class="badge tone-amber">{t(sharedType(info?.type ?? ""))}</span>
      {info?.topic && <Said text={cut(info.topic, 80)} />}
      {info?.by && <span>{t("proposed_by")} <Said text={cut(writerName(info.by, fact), 80)} /></span>}
    </p>
  );
}

interface CandidateProps {
  fact: Memory;
  shared: boolean;
  writable: boolean;
  editing: boolean;
  onEdit: (on: boolean) => void;
  onDecide: (what: "approve" | "reject") => void;
}

function CandidateView({ fact, shared, writable, editing, onEdit, onDecide }: CandidateProps) {
  const { who, place, refresh } = useApp();
  const [words, setWords] = useState(fact.text);
  const quotes = Array.isArray(fact.metadata["quotes"]) ? (fact.metadata["quotes"] as unknown[]) : [];
  const save = (event: Event) => {
    event.preventDefault();
    const body = { scope: scopeOf(place), text: words.trim() } as never;
    const asked: Promise<unknown> = shared
      ? replaceShared(who, place, fact.id, words.trim())
      : unwrap(api.POST("/v1/facts/{id}/correct", { params: { path: { id: fact.id } }, body }));
    asked.then(
      () => (onEdit(false), say(shared ? t("shared_replaced") : t("corrected")), refresh()),
      complain,
    );
  };
  return (
    <>
      <div class="detail-badges">
        {shared ? <span class="badge tone-amber"><UsersRound size={12} aria-hidden="true" /> {t("shared_proposal")}</span> : <KindBadge kind="fact" />}
        <Confidence value={fact.confidence} />
        {sourceCount(fact.metadata) > 0 && <span class="faint">{t("sources_count", { count: sourceCount(fact.metadata) })}</span>}
        <span class="faint">{age(fact.time ?? fact.created)}</span>
      </div>
      {editing ? (
        <form class="editor" onSubmit={save}>
          <label class="field">
            <span>{t("correct_label")}</span>
            <textarea rows={3} dir="auto" value={words} autofocus onInput={(event) => setWords(event.currentTarget.value)} />
          </label>
          <div class="row">
            <button type="submit" class="button" disabled={!words.trim()}>{t("save")}</button>
            <button type="button" class="button quiet" onClick={() => onEdit(false)}>{t("cancel")}</button>
          </div>
        </form>
      ) : (
        <p class="review-text"><Said text={cut(fact.text, 1000)} /></p>
      )}
      {shared && !editing && <SharedWords fact={fact} />}
      {quotes.slice(0, 2).map((quote, index) => (
        <blockquote key={index} class="quote"><Said text={cut(String(quote), 400)} /></blockquote>
      ))}
      {writable && !editing && (
        <div class="row wrap">
          <button type="button" class="button" onClick={() => onDecide("approve")}>
            <Check size={16} aria-hidden="true" /> {t("approve")} <kbd>a</kbd>
          </button>
          {fact.kind === "fact" && (
            <button type="button" class="button quiet" onClick={() => onEdit(true)}>
              <Pencil size={16} aria-hidden="true" /> {t("correct")} <kbd>e</kbd>
            </button>
          )}
          <button type="button" class="button quiet" onClick={() => onDecide("reject")}>
            <X size={16} aria-hidden="true" /> {shared ? t("reject") : t("not_true")} <kbd>r</kbd>
          </button>
        </div>
      )}
    </>
  );
}
