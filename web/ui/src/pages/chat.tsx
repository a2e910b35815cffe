/** Talk to it without a bot: a configured model answers through our proxy; without one, the page shows
 * what a model would be told. The memory grows beside it. */
import { Bot, SendHorizontal, UserRound } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, pageHeaders, problemOf, unwrap } from "../api";
import { Empty, Said } from "../components/basics";
import { KindIcon, StateBadge } from "../components/kinds";
import { complain } from "../components/toasts";
import { mayWrite, useApp } from "../context";
import { age, cut, withoutTime } from "../format";
import { t } from "../i18n";
import { placeKey, scopeOf, type Place } from "../place";
import { useResource } from "../resource";
import { read, write } from "../theme";

interface Line {
  who: "user" | "assistant";
  text: string;
  told: { id: string; kind: string; text: string }[];
}

const SECONDS = 2;
const HITS = 4;
const REMEMBERED = 12; // messages of the conversation that go with each turn

export function ChatPage() {
  const { who, place } = useApp();
  const talks = (place.kind === "private" || place.kind === "group") && mayWrite(who);
  return (
    <div class="page chat-page">
      <header class="page-head">
        <h1>{t("nav_chat")}</h1>
      </header>
      {talks ? (
        <Conversation key={placeKey(place)} />
      ) : (
        <Empty title={t("no_chat")}>
          <p>{t("no_chat_words")}</p>
        </Empty>
      )}
    </div>
  );
}

function Conversation() {
  const { place, placeName, refresh, summary } = useApp();
  const groupName = place.kind === "group" ? placeName : "";
  const [session] = useState(() => `pages-${crypto.randomUUID()}`);
  const [lines, setLines] = useState<Line[]>([]);
  const [words, setWords] = useState("");
  const [name, setName] = useName(place);
  const [busy, setBusy] = useState(false);
  const hasProxy = summary?.has_proxy ?? false;
  const { data: model } = useResource(`models ${hasProxy}`, async () => (hasProxy ? firstModel() : null));
  const end = useRef<HTMLDivElement>(null);
  const nameBox = useRef<HTMLInputElement>(null);
  const speaker = speakerIn(place, name);
  const [isAsked, setIsAsked] = useState(false); // for the name, by an attempt without one
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [lines.length]);

  const send = async (event: Event) => {
    event.preventDefault();
    const said = words.trim();
    if (!said || busy) return;
    if (!speaker) {
      setIsAsked(true);
      nameBox.current?.focus();
      return;
    }
    setBusy(true);
    setWords("");
    const before = [...lines, { who: "user" as const, text: said, told: [] }];
    setLines(before);
    try {
      setLines([...before, await (model ? byModel(place, session, before, model, name, groupName) : byMemory(place, session, before, speaker, groupName))]);
      refresh();
    } catch (error) {
      complain(error);
      setLines(lines);
      setWords(said);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="chat-columns">
      <section class="panel chat" aria-label={t("nav_chat")}>
        <div class="chat-lines" role="log" tabIndex={0} aria-label={t("conversation")}>
          {!lines.length && <p class="faint">{model ? t("chat_with_model", { model }) : t("chat_without_model")}</p>}
          {lines.map((line, index) => <LineView key={index} line={line} />)}
          <div ref={end} />
        </div>
        <label class="chat-name">
          <span>{t("your_name")}</span>
          <input
            ref={nameBox}
            value={name}
            maxLength={100}
            required={place.kind === "group"}
            aria-invalid={isAsked && !speaker ? "true" : undefined}
            autocomplete="nickname"
            placeholder={place.kind === "private" ? place.id : ""}
            aria-describedby="name-hint"
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <span class={isAsked && !speaker ? "danger-text" : "faint"} id="name-hint">
            {speaker ? t("your_name_hint", { name: cut(speaker, 20) }) : t("your_name_needed")}
          </span>
        </label>
        <form class="search-row" onSubmit={send}>
          <label class="search grow">
            <span class="visually-hidden">{t("message")}</span>
            <input value={words} placeholder={t("message_hint")} onInput={(event) => setWords(event.currentTarget.value)} />
          </label>
          <button type="submit" class="button" disabled={busy || !words.trim()}>
            <SendHorizontal size={16} aria-hidden="true" /> {t("send")}
          </button>
        </form>
      </section>
      <Growing />
    </div>
  );
}

/** What the person who talks here is called; kept in this browser, for each place. */
function useName(place: Place): [string, (name: string) => void] {
  const key = `taishi.name ${placeKey(place)}`;
  const [name, setName] = useState(() => read(key) ?? "");
  return [name, (next) => (write(key, next), setName(next))];
}

/** Who is taken to speak. In a group that can be anybody, so it has to be said: a group is no person. */
function speakerIn(place: Place, name: string): string {
  return name.trim() || (place.kind === "private" ? place.id : "");
}

function LineView({ line }: { line: Line }) {
  const Icon = line.who === "user" ? UserRound : Bot;
  return (
    <div class={`chat-line ${line.who}`}>
      <span class="chat-icon" aria-hidden="true"><Icon size={18} /></span>
      <div>
        <span class="visually-hidden">{line.who === "user" ? t("you") : t("assistant")}</span>
        <p><Said text={cut(line.text, 8000)} /></p>
        {line.told.length > 0 && (
          <ul class="plain told">
            {line.told.map((hit) => (
              <li key={hit.id}><KindIcon kind={hit.kind} /> <Said text={cut(hit.text, 240)} /></li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** The newest memories of this place, as they come. */
function Growing() {
  const { place, version } = useApp();
  const { data } = useResource(
    `growing ${placeKey(place)}`,
    () => unwrap(api.GET("/v1/browse", { params: { query: { ...scopeOf(place), kinds: ["fact", "event", "turn", "procedure"], states: ["approved", "candidate", "conflict"], limit: 8, preview: true } } })),
    version,
  );
  return (
    <aside class="panel" aria-label={t("memory_beside")}>
      <h2>{t("memory_beside")}</h2>
      <ul class="plain growing" aria-live="polite" tabIndex={0} aria-label={t("memory_beside")}>
        {data?.items.map((one) => (
          <li key={one.id}>
            <KindIcon kind={one.kind} />
            <span><Said text={cut(withoutTime(one.text), 140)} /> <StateBadge record={one} /> <span class="faint">{age(one.time ?? one.created)}</span></span>
          </li>
        ))}
        {data && !data.items.length && <li class="faint">{t("nothing_here")}</li>}
      </ul>
    </aside>
  );
}

/** The first model that the proxy's upstream has; none if there is no upstream. */
async function firstModel(): Promise<string | null> {
  const answer = await fetch("/openai/v1/models", { headers: pageHeaders() });
  if (!answer.ok) return null;
  const listed = (await answer.json().catch(() => null)) as { data?: { id?: string }[] } | null;
  return listed?.data?.[0]?.id ?? null;
}

const messagesOf = (lines: Line[]) => lines.slice(-REMEMBERED).map((line) => ({ role: line.who, content: line.text }));

async function byModel(place: Place, session: string, lines: Line[], model: string, name: string, groupName: string): Promise<Line> {
  const names = { private: "X-Taishi-User", group: "X-Taishi-Group", agent: "X-Taishi-Agent", workspace: "X-Taishi-User" };
  const headers = {
    ...pageHeaders(),
    "Content-Type": "application/json",
    [names[place.kind]]: encodeURIComponent(place.id),
    "X-Taishi-Workspace": encodeURIComponent(place.workspace),
    "X-Taishi-Session": session,
    ...(groupName ? { "X-Taishi-Group-Name": encodeURIComponent(groupName) } : {}),
    ...(name.trim() ? { "X-Taishi-Speaker": encodeURIComponent(name.trim()) } : {}),
  };
  const body = JSON.stringify({ model, messages: messagesOf(lines) });
  const answer = await fetch("/openai/v1/chat/completions", { method: "POST", headers, body });
  const said = (await answer.json().catch(() => null)) as { choices?: { message?: { content?: string } }[]; error?: { message?: string } } | null;
  if (!answer.ok) throw problemOf(answer.status, { title: t("model_failed"), detail: said?.error?.message ?? "" });
  return { who: "assistant", text: said?.choices?.[0]?.message?.content ?? "", told: [] };
}

async function byMemory(place: Place, session: string, lines: Line[], speaker: string, groupName: string): Promise<Line> {
  const said = lines[lines.length - 1]!.text;
  const scope = { ...scopeOf(place), session };
  const found = await unwrap(api.POST("/v1/recall", { body: { scope, query: said, top_k: HITS, deadline: SECONDS } as never }));
  const messages = lines.slice(-REMEMBERED).map((line) => ({ text: line.text, speaker: line.who === "user" ? speaker : t("brand") }));
  await unwrap(api.POST("/v1/turns", { body: { scope, new_info: said, messages, sender_name: speaker, group_name: groupName || null } as never }));
  const told = found.hits.map(({ id, kind, text }) => ({ id, kind, text }));
  return { who: "assistant", text: told.length ? t("would_tell") : t("would_tell_nothing"), told };
}
