/** Ask as a bot would, and see what it gets: the block as it is sent, every hit and why, how long it took. */
import { Columns2, Play, User } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, unwrap, type Block, type Recall } from "../api";
import { Bar, Empty, ErrorBox, Said } from "../components/basics";
import { KindBadge } from "../components/kinds";
import { Waterfall, type Step } from "../components/waterfall";
import { useApp } from "../context";
import { age, cut, number, percent } from "../format";
import { t, type Key } from "../i18n";
import { placeKey, scopeOf, type Place } from "../place";
import { useMembers } from "./members";

interface Choice {
  topK: number;
  floor: string;
  tokens: number;
  form: "text" | "xml" | "markdown";
  deadline: number;
}

interface Answer {
  recall: Recall;
  block: Block;
  recallMs: number;
  blockMs: number;
}

const FIRST: Choice = { topK: 5, floor: "", tokens: 800, form: "text", deadline: 1 };

export function RecallPage() {
  const { place, version } = useApp();
  const [asker, setAsker] = useAsker(place);
  const [question, setQuestion] = useState("");
  const [choices, setChoices] = useState<Choice[]>([FIRST]);
  const [answers, setAnswers] = useState<(Answer | Error)[]>([]);
  const [busy, setBusy] = useState(false);
  const ask = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    const found: (Answer | Error)[] = [];
    for (const choice of choices) {
      found.push(await run(question, { ...scopeOf(place), ...(asker && { user: asker }) }, choice).catch((error: Error) => error)); // one by one: they are timed
    }
    setAnswers(found);
    setBusy(false);
  };
  const change = (index: number, changes: Partial<Choice>) =>
    setChoices(choices.map((one, number) => (number === index ? { ...one, ...changes } : one)));
  const compares = choices.length > 1;
  return (
    <div class="page recall-page">
      <header class="page-head">
        <h1>{t("nav_recall")}</h1>
        <button
          type="button"
          class="button quiet"
          aria-pressed={compares}
          onClick={() => (setChoices(compares ? [choices[0]!] : [choices[0]!, { ...choices[0]!, topK: 10, tokens: 1600 }]), setAnswers(answers.slice(0, 1)))}
        >
          <Columns2 size={16} aria-hidden="true" /> {t("compare")}
        </button>
      </header>
      <p class="faint">{t("recall_words")}</p>
      {place.kind === "group" && <p class="faint">{t("asker_words")}</p>}
      <form onSubmit={ask}>
        <div class="search-row">
          <label class="search grow">
            <span class="visually-hidden">{t("question")}</span>
            <input value={question} placeholder={t("question_hint")} onInput={(event) => setQuestion(event.currentTarget.value)} />
          </label>
          {place.kind === "group" && <Asker value={asker} version={version} onChange={setAsker} />}
          <button type="submit" class="button" disabled={busy || !question.trim()}>
            <Play size={16} aria-hidden="true" /> {t("ask")}
          </button>
        </div>
        <div class={compares ? "columns two" : "columns"}>
          {choices.map((choice, index) => (
            <Choices
              key={index}
              name={compares ? "AB"[index]! : ""}
              choice={choice}
              other={choices[1 - index]}
              onChange={(changes) => change(index, changes)}
            />
          ))}
        </div>
      </form>
      {!answers.length && !busy && (
        <Empty title={t("ask_first")}>
          <p>{t("ask_first_words")}</p>
        </Empty>
      )}
      <div class={compares ? "columns two" : "columns"} aria-live="polite">
        {answers.map((answer, index) => (
          <div key={index}>
            {answer instanceof Error ? <ErrorBox error={answer} /> : <AnswerView answer={answer} name={compares ? "AB"[index]! : ""} other={otherOf(answers, index)} />}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Who asks in this group; of another group it is somebody else. */
function useAsker(place: Place): [string, (id: string) => void] {
  const key = placeKey(place);
  const [asker, setAsker] = useState({ key, id: "" });
  return [place.kind === "group" && asker.key === key ? asker.id.trim() : "", (id) => setAsker({ key, id })];
}

function Asker({ value, version, onChange }: { value: string; version: number; onChange: (id: string) => void }) {
  const { place } = useApp();
  const { data } = useMembers(place, version);
  return (
    <label class="search asker">
      <User size={18} aria-hidden="true" />
      <span class="visually-hidden">{t("asker")}</span>
      <input list="askers" value={value} placeholder={t("asker_hint")} onInput={(event) => onChange(event.currentTarget.value)} />
      <datalist id="askers">
        {data?.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
      </datalist>
    </label>
  );
}

async function run(query: string, scope: ReturnType<typeof scopeOf>, choice: Choice): Promise<Answer> {
  const { deadline } = choice;
  const started = performance.now();
  const floor = choice.floor === "" ? undefined : Number(choice.floor);
  const asked = { scope, query, top_k: choice.topK, floor, deadline, explain: true };
  const recall = (await unwrap(api.POST("/v1/recall", { body: asked as never }))) as Recall;
  const middle = performance.now();
  const wanted = { scope, query, max_tokens: choice.tokens, form: choice.form, deadline, explain: true };
  const block = await unwrap(api.POST("/v1/context", { body: wanted as never }));
  return { recall, block, recallMs: middle - started, blockMs: performance.now() - middle };
}

/** The answer to the other settings, if there is one. */
function otherOf(answers: (Answer | Error)[], index: number): Answer | undefined {
  const other = answers[1 - index];
  return other instanceof Error ? undefined : other;
}

interface ChoicesProps {
  name: string;
  choice: Choice;
  other: Choice | undefined;
  onChange: (changes: Partial<Choice>) => void;
}

function Choices({ name, choice, other, onChange }: ChoicesProps) {
  const look = (field: keyof Choice) => (other && other[field] !== choice[field] ? "field differs" : "field");
  const numberOf = (event: Event) => Number((event.currentTarget as HTMLInputElement).value) || 0;
  return (
    <fieldset class="choices">
      <legend>{name ? t("settings_named", { name }) : t("settings_of_question")}</legend>
      <label class={look("topK")}>
        <span>{t("most_hits")}</span>
        <input type="number" min={1} max={100} value={choice.topK} onInput={(event) => onChange({ topK: numberOf(event) })} />
      </label>
      <label class={look("floor")}>
        <span>{t("floor")}</span>
        <input type="number" min={0} max={1} step={0.05} placeholder={t("default")} value={choice.floor} onInput={(event) => onChange({ floor: event.currentTarget.value })} />
      </label>
      <label class={look("tokens")}>
        <span>{t("most_tokens")}</span>
        <input type="number" min={0} max={20000} step={50} value={choice.tokens} onInput={(event) => onChange({ tokens: numberOf(event) })} />
      </label>
      <label class={look("form")}>
        <span>{t("form")}</span>
        <select value={choice.form} onChange={(event) => onChange({ form: event.currentTarget.value as Choice["form"] })}>
          {["text", "xml", "markdown"].map((form) => <option key={form} value={form}>{form}</option>)}
        </select>
      </label>
    </fieldset>
  );
}

const BLOCK_STAGES = ["pages", "instructions", "block"];
const SECTIONS: Record<string, Key> = {
  instructions: "section_instructions", task: "section_task", user: "section_user", group: "section_group", facts: "tab_facts",
  procedures: "tab_procedures", events: "tab_events", observations: "section_observations", documents: "section_documents",
  notes: "section_notes", chats: "section_chats", frame: "section_frame",
};
const LEVELS: Record<string, { tone: string; words: Key }> = {
  hybrid: { tone: "green", words: "level_hybrid" },
  keyword: { tone: "amber", words: "level_keyword" },
  "profile-only": { tone: "amber", words: "level_profile" },
  empty: { tone: "grey", words: "level_empty" },
};
/** The ways to a memory, how each went, and why something was left out. */
const PATHS: Record<string, Key> = {
  keyword: "stage_keyword", vector: "stage_vector", recency: "stage_recency", context: "path_context", rerank: "stage_rerank",
  intent: "path_intent", store: "path_store", memory: "nav_memory", legacy: "path_legacy",
};
const OUTCOMES: Record<string, Key> = {
  ok: "outcome_ok", late: "outcome_late", failed: "outcome_failed", behind: "outcome_behind", off: "off",
};
const REASONS: Record<string, Key> = {
  "below floor": "dropped_floor", "too low on every path": "dropped_low", "beyond top_k": "dropped_rank", "near-duplicate of": "dropped_duplicate",
};
const reason = (raw: string) => said(REASONS[raw.startsWith("near-duplicate of") ? "near-duplicate of" : raw], raw);
const said = (words: Key | undefined, raw: string) => (words ? t(words) : raw);

function AnswerView({ answer, name, other }: { answer: Answer; name: string; other: Answer | undefined }) {
  const { recall, block } = answer;
  const elsewhere = other && new Map(other.recall.hits.map((hit, index) => [hit.id, index + 1]));
  const why = new Map((recall.explain ?? []).map((one) => [one.id, one]));
  return (
    <>
      <section class="panel">
        <div class="detail-badges">
          <span class={`badge tone-${LEVELS[recall.level]?.tone ?? "grey"}`}>{said(LEVELS[recall.level]?.words, recall.level)}</span>
          {Object.entries(recall.paths).map(([path, outcome]) => (
            <span key={path} class={`badge tone-${outcome === "ok" ? "green" : outcome === "late" || outcome === "failed" ? "red" : "grey"}`}>
              {said(PATHS[path], path)}: {said(OUTCOMES[outcome], outcome)}
            </span>
          ))}
        </div>
        <Waterfall steps={stepsOf(answer)} label={t("timings")} />
        <Took answer={answer} />
        {recall.note && <p class="notice">{recall.note}</p>}
      </section>
      <section class="panel">
        <h2>{t("hits_count", { count: recall.hits.length })}</h2>
        {!recall.hits.length && <p class="faint">{t("no_hits")}</p>}
        <ol class="plain hits">
          {recall.hits.map((hit, index) => (
            <li key={hit.id} class={elsewhere && !elsewhere.has(hit.id) ? "differs" : undefined}>
              <div class="detail-badges">
                <KindBadge kind={hit.kind} />
                <strong class="numbers">{hit.score.toFixed(3)}</strong>
                {elsewhere && <Elsewhere here={index + 1} there={elsewhere.get(hit.id)} name={name} />}
                <span class="faint">{age(hit.time)}</span>
              </div>
              <p class="review-text"><Said text={cut(hit.text, 400)} /></p>
              {why.get(hit.id) && <Scores why={why.get(hit.id)!} />}
            </li>
          ))}
        </ol>
        <Dropped recall={recall} />
      </section>
      <section class="panel">
        <h2>{t("block")}</h2>
        <Tokens block={block} />
        {block.block ? (
          <pre class="block" tabIndex={0} role="region" aria-label={t("block")} dir="auto">{block.block}</pre>
        ) : (
          <p class="faint">{block.note ?? t("empty_block")}</p>
        )}
      </section>
    </>
  );
}

/** Where the other settings put this hit, if anywhere. */
function Elsewhere({ here, there, name }: { here: number; there: number | undefined; name: string }) {
  if (there === undefined) return <span class="badge tone-amber">{t("only_in", { name })}</span>;
  if (there === here) return null;
  return <span class="badge tone-grey">{t("elsewhere", { name: name === "A" ? "B" : "A", rank: there })}</span>;
}

/** The stages of the search, then those of the block. */
function stepsOf({ recall, block }: Answer): Step[] {
  const search = (recall.stages ?? []).filter((one) => one.name !== "explain");
  const end = Math.max(0, ...search.map((one) => one.start_ms + one.took_ms));
  const drawn = (block.stages ?? []).filter((one) => BLOCK_STAGES.includes(one.name));
  let at = end;
  const after = drawn.map((one) => ({ ...one, start_ms: (at += one.took_ms) - one.took_ms }));
  return [...search, ...after];
}

/** What a bot waits for, and what only this page costs: explaining, and the way here. */
function Took({ answer }: { answer: Answer }) {
  const steps = stepsOf(answer);
  const own = Math.max(0, ...steps.map((one) => one.start_ms + one.took_ms));
  const rest = Math.max(0, answer.recallMs + answer.blockMs - own);
  return <p class="faint">{t("took_words", { ms: own.toFixed(1), rest: Math.round(rest) })}</p>;
}

/** What the block costs, as its own budget counts, and which section takes how much. */
function Tokens({ block }: { block: Block }) {
  const { tokens } = block;
  if (!tokens) return null;
  const rows = [...Object.entries(tokens.sections), ["frame", tokens.frame] as const];
  return (
    <>
      <p class="faint">
        {t("block_words", { chars: number(block.block.length), tokens: number(tokens.total), limit: number(tokens.limit) })}
      </p>
      {tokens.total > 0 && (
        <dl class="token-sections">
          {rows.map(([name, count]) => (
            <div key={name} data-section={name}>
              <dt>{SECTIONS[name] ? t(SECTIONS[name]) : name}</dt>
              <dd>
                <Bar value={count / tokens.total} tone={name === "frame" ? "grey" : "purple"} label={percent(count / tokens.total)} />
                <span class="numbers">{number(count)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

type Why = NonNullable<Recall["explain"]>[number];
const FACTORS: { name: keyof Why; words: Key; tone: string }[] = [
  { name: "cosine", words: "score_cosine", tone: "purple" },
  { name: "coverage", words: "score_coverage", tone: "blue" },
  { name: "age_factor", words: "score_age", tone: "amber" },
  { name: "kind_factor", words: "score_kind", tone: "green" },
  { name: "trust_factor", words: "score_trust", tone: "teal" },
];

function Scores({ why }: { why: Why }) {
  const paths = Object.entries(why.paths).map(([path, rank]) => t("found_as", { path: said(PATHS[path], path), rank })).join(" · ");
  return (
    <div class="scores">
      {FACTORS.map(({ name, words, tone }) => {
        const value = Number(why[name]);
        return (
          <div key={name} class="score-row">
            <span class="faint">{t(words)}</span>
            <Bar value={value} tone={tone} label={`${t(words)}: ${value.toFixed(2)}`} />
            <span class="numbers faint">{value.toFixed(2)}</span>
          </div>
        );
      })}
      {paths && <span class="faint">{t("found_by")}: {paths}</span>}
    </div>
  );
}

function Dropped({ recall }: { recall: Recall }) {
  const dropped = (recall.explain ?? []).filter((one) => one.dropped);
  if (!dropped.length) return null;
  return (
    <details>
      <summary>{t("dropped_count", { count: dropped.length })}</summary>
      <ul class="plain">
        {dropped.slice(0, 40).map((one) => (
          <li key={one.id}>
            <span class="badge tone-grey">{reason(one.dropped ?? "")}</span> <Said text={cut(one.text, 160)} />
          </li>
        ))}
      </ul>
    </details>
  );
}
