/** The historian's work: what waits, what failed and why, and what models cost. */
import { RotateCw } from "lucide-preact";
import { api, unwrap, type Job, type LedgerRow } from "../api";
import { Empty, ErrorBox, Loading, Said, Spark } from "../components/basics";
import { complain, say } from "../components/toasts";
import { isOwner, useApp } from "../context";
import { cut, dateTime, number } from "../format";
import { t, type Key } from "../i18n";
import { useResource } from "../resource";

const TONES: Record<string, string> = { pending: "blue", processing: "purple", failed: "red" };

export function JobsPage() {
  const { who, place, version, refresh } = useApp();
  const { data, error, loading, reload } = useResource(
    `jobs ${place.workspace}`,
    () => unwrap(api.GET("/v1/jobs", { params: { query: { workspace: place.workspace, limit: 500 } } })),
    version,
  );
  const retry = (job: Job) =>
    unwrap(api.POST("/v1/jobs/{name}/retry", { params: { path: { name: job.name } } })).then(
      () => (say(t("retried")), refresh(), reload()),
      complain,
    );
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t("nav_jobs")}</h1>
        <button type="button" class="button quiet" onClick={reload}>
          <RotateCw size={16} aria-hidden="true" /> {t("reload")}
        </button>
      </header>
      {error && <ErrorBox error={error} retry={reload} />}
      {!data && loading && <Loading />}
      {data && !data.jobs.length && (
        <Empty title={t("no_jobs")}>
          <p>{t("no_jobs_words")}</p>
        </Empty>
      )}
      {data && data.jobs.length > 0 && (
        <ul class="plain jobs">
          {data.jobs.map((job) => (
            <li key={job.name} class="panel job">
              <div class="detail-badges">
                <span class={`badge tone-${TONES[job.state] ?? "grey"}`}>{t(`job_${job.state}` as Key)}</span>
                <strong><Said text={job.event_id || job.name} /></strong>
                <span class="faint">{t("attempts_count", { count: job.attempts })}</span>
                <span class="faint">{dateTime(text(job.job?.["timestamp_utc"]))}</span>
              </div>
              <p><Said text={cut(words(job), 400)} /></p>
              {job.reason && <p class="reason"><Said text={cut(job.reason, 1000)} /></p>}
              {job.state === "failed" && (
                <button type="button" class="button small" onClick={() => retry(job)}>
                  <RotateCw size={14} aria-hidden="true" /> {t("try_again")}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isOwner(who) && <Ledger />}
    </div>
  );
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function words(job: Job): string {
  const told = job.job?.["new_info"];
  const parts = [job.job?.["action_summary"], ...(Array.isArray(told) ? told : [])];
  return parts.filter((one) => typeof one === "string" && one).join(" · ");
}

function Ledger() {
  const { version } = useApp();
  const { data, error } = useResource("ledger", () => unwrap(api.GET("/v1/ledger")), version);
  if (error) return <ErrorBox error={error} />;
  if (!data) return null;
  const days = totals(data.rows, (row) => row.day);
  const tasks = totals(data.rows, (row) => `${row.task}\u0000${row.model}`);
  return (
    <section class="panel">
      <h2>{t("ledger")}</h2>
      {!data.rows.length && <p class="faint">{t("no_ledger")}</p>}
      {data.rows.length > 0 && (
        <>
          <p class="faint">{t("tokens_by_day")}</p>
          <Spark values={days.slice(-60).map((one) => one.tokens)} label={t("tokens_by_day")} />
          <div class="table-scroll" tabIndex={0} role="region" aria-label={t("ledger")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("task")}</th>
                  <th scope="col">{t("model")}</th>
                  <th scope="col" class="right">{t("calls")}</th>
                  <th scope="col" class="right">{t("failed")}</th>
                  <th scope="col" class="right">{t("tokens")}</th>
                  <th scope="col" class="right">{t("cost")}</th>
                </tr>
              </thead>
              <tbody>
                {tasks.map((one) => {
                  const [task, model] = one.key.split("\u0000");
                  return (
                    <tr key={one.key}>
                      <td>{task}</td>
                      <td>{model}</td>
                      <td class="right numbers">{number(one.calls)}</td>
                      <td class="right numbers">{number(one.failed)}</td>
                      <td class="right numbers">{number(one.tokens)}</td>
                      <td class="right numbers">{one.cost.toFixed(4)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
          {data.rows.filter((row) => row.last_error).slice(-3).map((row, index) => (
            <p key={index} class="reason"><strong>{row.task}</strong> <Said text={cut(row.last_error, 400)} /></p>
          ))}
        </>
      )}
    </section>
  );
}

interface Total {
  key: string;
  calls: number;
  failed: number;
  tokens: number;
  cost: number;
}

function totals(rows: LedgerRow[], keyOf: (row: LedgerRow) => string): Total[] {
  const found = new Map<string, Total>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = found.get(key) ?? { key, calls: 0, failed: 0, tokens: 0, cost: 0 };
    sum.calls += row.calls;
    sum.failed += row.failed;
    sum.tokens += row.prompt_tokens + row.completion_tokens;
    sum.cost += row.cost;
    found.set(key, sum);
  }
  return [...found.values()].sort((a, b) => a.key.localeCompare(b.key));
}
