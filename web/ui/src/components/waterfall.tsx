/** What took how long, one under the other, as the server measured it. */
import { t, type Key } from "../i18n";

export interface Step {
  name: string;
  start_ms: number;
  took_ms: number;
}

const KNOWN: Record<string, { words: Key; tone: string }> = {
  index: { words: "stage_index", tone: "grey" },
  embed: { words: "stage_embed", tone: "teal" },
  keyword: { words: "stage_keyword", tone: "blue" },
  recency: { words: "stage_recency", tone: "amber" },
  vector: { words: "stage_vector", tone: "purple" },
  fuse: { words: "stage_fuse", tone: "green" },
  score: { words: "stage_score", tone: "green" },
  diversify: { words: "stage_diversify", tone: "green" },
  rerank: { words: "stage_rerank", tone: "purple" },
  fetch: { words: "stage_fetch", tone: "grey" },
  show: { words: "stage_show", tone: "grey" },
  documents: { words: "stage_documents", tone: "blue" },
  explain: { words: "stage_explain", tone: "grey" },
  pages: { words: "stage_pages", tone: "amber" },
  instructions: { words: "stage_instructions", tone: "amber" },
  block: { words: "stage_block", tone: "purple" },
};

const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

export function Waterfall({ steps, label }: { steps: Step[]; label: string }) {
  const whole = Math.max(...steps.map((one) => one.start_ms + one.took_ms), 0.001);
  return (
    <table class="waterfall">
      <caption class="visually-hidden">{label}</caption>
      <colgroup>
        <col class="waterfall-name" />
        <col />
        <col class="waterfall-ms" />
      </colgroup>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{t("stage")}</th>
          <th scope="col">{t("stage_when")}</th>
          <th scope="col">{t("stage_time")}</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((one, index) => {
          const look = KNOWN[one.name];
          const left = Math.min(99, (one.start_ms / whole) * 100);
          return (
            <tr key={index} data-stage={one.name}>
              <th scope="row">{look ? t(look.words) : one.name}</th>
              <td class="waterfall-track">
                <span class="visually-hidden">{ms(one.start_ms)}</span>
                <span
                  class={`bar-fill fill-${look?.tone ?? "grey"}`}
                  style={{ marginInlineStart: `${left}%`, width: `${Math.min(100 - left, Math.max(0.7, (one.took_ms / whole) * 100))}%` }}
                />
              </td>
              <td class="numbers faint right">{ms(one.took_ms)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
