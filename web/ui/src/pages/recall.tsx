/** Ask as a bot would, and see what it gets: the block as it is sent, every hit and why, how long it took. */
import { Columns2, Play } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, unwrap, type Block, type Recall } from "../api";
import { Bar, ErrorBox, Said } from "../components/basics";
import { KindBadge } from "../components/kinds";
import { useApp } from "../context";
import { age, cut } from "../format";
import { t, type Key } from "../i18n";
import { scopeOf } from "../place";

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
  const { place } = useApp();
  const [question, setQuestion] = useState("");
  const [choices, setChoices] = useState<Choice[]>([FIRST]);
  const [answers, setAnswers] = useState<(Answer | Error)[]>([]);
  const [busy, setBusy] = useState(false);
  const ask = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    const found: (Answer | Error)[] = [];
    for (const choice of choices) {
      found.push(await run(question, scopeOf(place), choice).catch((error: Error) => error)); // one by one: they are timed
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
      <form onSubmit={ask}>
        <div class="search-row">
          <label class="search grow">
            <span class="visually-hidden">{t("question")}</span>
            <input value={question} placeholder={t("question_hint")} onInput={(event) => setQuestion(event.currentTarget.value)} />
          </label>
          <button type="submit" class="button" disabled={busy || !question.trim()}>
            <Play size={16} aria-hidden="true" /> {t("ask")}
          </button>
        </div>
        <div class={compares ? "columns two" : "columns"}>
          {choices.map((choice, index) => (
            <Choices key={index} name={compares ? "AB"[index]! : ""} choice={choice} onChange={(changes) => change(index, changes)} />
          ))}
        </div>
      </form>
      <div class={compares ? "columns two" : "columns"} aria-live="polite">
        {answers.map((answer, index) => (
          <div key={index}>{answer instanceof Error ? <ErrorBox error={answer} /> : <AnswerView answer={answer} />}</div>
        ))}
      </div>
    </div>
  );
}

async function run(query: string, scope: ReturnType<typeof scopeOf>, choice: Choice): Promise<Answer> {
  const { deadline } = choice;
  const started = performance.now();
  const floor = choice.floor === "" ? undefined : Number(choice.floor);
  const asked = { scope, query, top_k: choice.topK, floor, deadline, explain: true };
  const recall = (await unwrap(api.POST("/v1/recall", { body: asked as never }))) as Recall;
  const middle = performance.now();
  const wanted = { scope, query, max_tokens: choice.tokens, form: choice.form, deadline };
  const block = await unwrap(api.POST("/v1/context", { body: wanted as never }));
  return { recall, block, recallMs: middle - started, blockMs: performance.now() - middle };
}

function Choices({ name, choice, onChange }: { name: string; choice: Choice; onChange: (changes: Partial<Choice>) => void }) {
  const numberOf = (event: Event) => Number((event.currentTarget as HTMLInputElement).value) || 0;
  return (
    <fieldset class="choices">
      <legend>{name ? t("settings_named", { name }) : t("settings_of_question")}</legend>
      <label class="field">
        <span>{t("most_hits")}</span>
        <input type="number" min={1} max={100} value={choice.topK} onInput={(event) => onChange({ topK: numberOf(event) })} />
      </label>
      <label class="field">
        <span>{t("floor")}</span>
        <input type="number" min={0} max={1} step={0.05} placeholder={t("default")} value={choice.floor} onInput={(event) => onChange({ floor: event.currentTarget.value })} />
      </label>
      <label class="field">
        <span>{t("most_tokens")}</span>
        <input type="number" min={0} max={20000} step={50} value={choice.tokens} onInput={(event) => onChange({ tokens: numberOf(event) })} />
      </label>
      <label class="field">
        <span>{t("form")}</span>
        <select value={choice.form} onChange={(event) => onChange({ form: event.currentTarget.value as Choice["form"] })}>
          {["text", "xml", "markdown"].map((form) => <option key={form} value={form}>{form}</option>)}
        </select>
      </label>
    </fieldset>
  );
}

const LEVELS: Record<string, string> = { hybrid: "green", keyword: "amber", "profile-only": "amber", empty: "grey" };

function AnswerView({ answer }: { answer: Answer }) {
  const { recall, block } = answer;
  const why = new Map((recall.explain ?? []).map((one) => [one.id, one]));
  return (
    <>
      <section class="panel">
        <div class="detail-badges">
          <span class={`badge tone-${LEVELS[recall.level] ?? "grey"}`}>{recall.level}</span>
          {Object.entries(recall.paths).map(([path, outcome]) => (
            <span key={path} class={`badge tone-${outcome === "ok" ? "green" : outcome === "late" || outcome === "failed" ? "red" : "grey"}`}>
              {path}: {outcome}
            </span>
          ))}
        </div>
        <Waterfall answer={answer} />
        {recall.note && <p class="notice">{recall.note}</p>}
      </section>
      <section class="panel">
        <h2>{t("hits_count", { count: recall.hits.length })}</h2>
        {!recall.hits.length && <p class="faint">{t("no_hits")}</p>}
        <ol class="plain hits">
          {recall.hits.map((hit) => (
            <li key={hit.id}>
              <div class="detail-badges">
                <KindBadge kind={hit.kind} />
                <strong class="numbers">{hit.score.toFixed(3)}</strong>
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
        <p class="faint">{t("block_words", { chars: block.block.length.toLocaleString(), tokens: guessTokens(block.block) })}</p>
        {block.block ? (
          <pre class="block" tabIndex={0} role="region" aria-label={t("block")} dir="auto">{block.block}</pre>
        ) : (
          <p class="faint">{block.note ?? t("empty_block")}</p>
        )}
      </section>
    </>
  );
}

/** A rough count, as most models make it: a word piece is four letters or one Chinese character. */
function guessTokens(text: string): number {
  const wide = text.match(/[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/g)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}

function Waterfall({ answer }: { answer: Answer }) {
  const { recall, recallMs, blockMs } = answer;
  const whole = recallMs + blockMs || 1;
  const rows = [
    { name: t("time_search"), start: 0, ms: Math.min(recall.took_ms, recallMs), tone: "purple" },
    { name: t("time_transfer"), start: Math.min(recall.took_ms, recallMs), ms: Math.max(0, recallMs - recall.took_ms), tone: "grey" },
    { name: t("time_block"), start: recallMs, ms: blockMs, tone: "blue" },
  ];
  return (
    <div class="waterfall">
      {rows.map((row) => (
        <div key={row.name} class="waterfall-row">
          <span>{row.name}</span>
          <span class="waterfall-track">
            <span
              class={`bar-fill fill-${row.tone}`}
              style={{ marginInlineStart: `${(row.start / whole) * 100}%`, width: `${Math.max(0.5, (row.ms / whole) * 100)}%` }}
            />
          </span>
          <span class="numbers faint">{row.ms.toFixed(1)} ms</span>
        </div>
      ))}
    </div>
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
  const paths = Object.entries(why.paths).map(([path, rank]) => `${path} #${rank}`).join(" · ");
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
            <span class="badge tone-grey">{one.dropped}</span> <Said text={cut(one.text, 160)} />
          </li>
        ))}
      </ul>
    </details>
  );
}
