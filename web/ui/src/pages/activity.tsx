/** How the memory of this place grows, and how fast the server answers. */
import { api, unwrap, type Activity } from "../api";
import { Empty, ErrorBox, Loading } from "../components/basics";
import { lookOf } from "../components/kinds";
import { Plot, type Series } from "../components/plots";
import { useApp } from "../context";
import { number } from "../format";
import { language, t, type Key } from "../i18n";
import { placeKey, scopeOf } from "../place";
import { useResource } from "../resource";

const DAYS = 30;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const LEAST_MINUTES = 15;
const ORDER = ["fact", "event", "turn", "procedure", "chunk", "observation", "summary", "note", "short_term", "profile"];
const TONES = ["purple", "blue", "teal", "green", "pink", "grey", "amber", "red"];

const locale = () => (language() === "zh" ? "zh-CN" : "en-GB");
const ms = (value: number) => `${value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)} ms`;
const seconds = (value: number) => (value >= 120 ? `${Math.round(value / 60)} min` : `${value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)} s`);

export function ActivityPage() {
  const { place, version } = useApp();
  const { data, error, reload } = useResource(
    `activity ${placeKey(place)}`,
    () => unwrap(api.GET("/v1/activity", { params: { query: { ...scopeOf(place), days: DAYS } } })),
    version,
  );
  return (
    <div class="page activity-page">
      <header class="page-head"><h1>{t("nav_activity")}</h1></header>
      {error && <ErrorBox error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <section class="panel"><Growth growth={data.growth} /></section>
          {data.process ? <Process process={data.process} /> : <p class="faint">{t("latency_not_for_key")}</p>}
        </>
      )}
    </div>
  );
}

function Growth({ growth }: { growth: Activity["growth"] }) {
  const today = Math.floor(Date.now() / DAY_MS);
  const days = Array.from({ length: DAYS }, (_, index) => new Date((today - DAYS + 1 + index) * DAY_MS));
  const known = Object.keys(growth).filter((kind) => kind !== "document").sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const used = new Set<string>();
  const series = known.map((kind): Series => {
    const own = lookOf(kind).tone;
    const tone = used.has(own) ? (TONES.find((one) => !used.has(one)) ?? own) : own;
    used.add(tone);
    return { name: t(`kind_${kind}` as Key), tone, values: days.map((day) => growth[kind]?.[day.toISOString().slice(0, 10)] ?? 0) };
  });
  if (!series.length) {
    return (
      <Empty title={t("no_growth")}>
        <p>{t("no_growth_words")}</p>
      </Empty>
    );
  }
  const axis = days.map((day) => day.toLocaleDateString(locale(), { day: "numeric", month: "short", timeZone: "UTC" }));
  return <Plot stacked title={t("growth")} words={t("growth_words", { days: DAYS })} axis={axis} series={series} format={(value) => number(Math.round(value))} />;
}

function Process({ process }: { process: NonNullable<Activity["process"]> }) {
  const minutes = minutesOf([process.recall, process.end_turn, process.queue_age].flat().map((one) => one.start));
  const axis = minutes.map((minute) => new Date(minute * MINUTE_MS).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" }));
  const values = <T extends { start: string | null }>(rows: T[], read: (row: T) => number) => {
    const by = new Map(rows.map((row) => [minuteOf(row.start), read(row)]));
    return minutes.map((minute) => by.get(minute) ?? null);
  };
  const latency = (name: "recall" | "end_turn") => {
    const rows = process[name];
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    return (
      <section class="panel">
        {rows.length ? (
          <Plot
            title={t(`latency_${name}`)}
            words={t(`latency_${name}_words`, { count })}
            axis={axis}
            format={ms}
            series={[
              { name: t("p50"), tone: "blue", values: values(rows, (row) => row.p50_ms) },
              { name: t("p95"), tone: "amber", values: values(rows, (row) => row.p95_ms) },
            ]}
          />
        ) : (
          <Empty title={t(`latency_${name}`)}><p>{t(`no_latency_${name}`)}</p></Empty>
        )}
      </section>
    );
  };
  return (
    <>
      <div class="columns two">
        {latency("recall")}
        {latency("end_turn")}
      </div>
      <section class="panel">
        <Plot
          title={t("queue_age")}
          words={t("queue_age_words")}
          axis={axis}
          format={seconds}
          series={[{ name: t("oldest_job"), tone: "purple", values: values(process.queue_age, (row) => row.most) }]}
        />
      </section>
    </>
  );
}

const minuteOf = (time: string | null) => Math.floor(Date.parse(time ?? "") / MINUTE_MS);

/** From the first minute of which anything is known to this one. */
function minutesOf(starts: (string | null)[]): number[] {
  const now = Math.floor(Date.now() / MINUTE_MS);
  const first = Math.min(now - LEAST_MINUTES + 1, ...starts.map(minuteOf).filter((one) => !Number.isNaN(one)));
  return Array.from({ length: Math.min(180, now - first + 1) }, (_, index) => Math.max(first, now - 179) + index);
}
