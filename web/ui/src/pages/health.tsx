/** The strip on top: how much there is, how sure it is, and what needs a person. */
import { Database, Gauge, Hourglass, ListTodo, Scale, TriangleAlert, Wrench, type LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { Spark } from "../components/basics";
import { useEdges } from "../components/edges";
import { useApp } from "../context";
import { duration, number, percent } from "../format";
import { t } from "../i18n";
import { address } from "../router";
import { LISTED } from "./memory_data";

export function HealthStrip() {
  const { summary, place } = useApp();
  const row = useEdges<HTMLElement>(Boolean(summary));
  if (!summary) return <div class="health" aria-hidden="true" />;
  const growth = Object.values(summary.growth);
  // As many as are listed: passages of documents and pages about people have pages of their own.
  const listed = LISTED.reduce((sum, kind) => sum + (summary.kinds[kind] ?? 0), 0);
  const ended = (summary.states["rejected"] ?? 0) + (summary.states["superseded"] ?? 0);
  // All four together are what the choice of a place counts.
  const passages = (summary.kinds["chunk"] ?? 0) + (summary.kinds["document"] ?? 0);
  const pages = summary.kinds["profile"] ?? 0;
  const conflicts = summary.states["conflict"] ?? 0;
  const degraded = Object.entries(summary.degraded);
  const { queue } = summary;
  return (
    <section class="health" ref={row} aria-label={t("health")}>
      <Tile icon={Database} name={t("health_total")} value={number(listed - ended)} note={ended ? t("health_ended", { count: number(ended) }) : ""} more={<>
        {passages > 0 && <a href={address("knowledge", place)}>{t("health_passages", { count: number(passages) })}</a>}{" "}
        {pages > 0 && <a href={address("profiles", place)}>{t("health_pages", { count: pages })}</a>}
      </>}>
        {growth.length > 0 && <Spark values={growth} label={t("health_growth")} />}
      </Tile>
      <Tile icon={Gauge} name={t("health_confidence")} value={percent(summary.mean_confidence)} />
      <Tile
        icon={Scale}
        name={t("health_conflicts")}
        value={number(conflicts)}
        tone={conflicts ? "red" : ""}
        href={conflicts ? address("review", place) : undefined}
      />
      <Tile
        icon={Hourglass}
        name={t("health_expired")}
        value={number(summary.expired)}
        tone={summary.expired ? "amber" : ""}
        href={summary.expired ? address("memory", place, { expired: "1" }) : undefined}
      />
      {queue && (
        <Tile
          icon={ListTodo}
          name={t("health_queue")}
          value={number(queue.pending + queue.processing)}
          note={queue.pending ? duration(queue.oldest_seconds) : ""}
          href={address("jobs", place)}
        />
      )}
      {queue && queue.failed > 0 && (
        <Tile icon={TriangleAlert} name={t("health_failed")} value={number(queue.failed)} tone="red" href={address("jobs", place)} />
      )}
      {(degraded.length > 0 || !summary.enabled) && (
        <Tile icon={Wrench} name={t("health_degraded")} value={summary.enabled ? number(degraded.length) : t("off")} tone="amber">
          <ul class="reasons">
            {!summary.enabled && <li>{t("memory_is_off")}</li>}
            {degraded.map(([part, why]) => (
              <li key={part} title={why}>
                <strong>{part}</strong>: {why}
              </li>
            ))}
          </ul>
        </Tile>
      )}
    </section>
  );
}

interface TileProps {
  icon: LucideIcon;
  name: string;
  value: string;
  note?: string;
  more?: ComponentChildren;
  tone?: string;
  href?: string | undefined;
  children?: ComponentChildren;
}

function Tile({ icon: Icon, name, value, note, more, tone = "", href, children }: TileProps) {
  const inside = (
    <>
      <span class="tile-name">
        <Icon size={15} aria-hidden="true" /> {name}
      </span>
      <span class="tile-value">
        {value} {note && <small>{note}</small>} {more && <small>{more}</small>}
      </span>
      {children}
    </>
  );
  const look = `tile ${tone ? `tile-${tone}` : ""}`;
  return href ? (
    <a class={look} href={href}>
      {inside}
    </a>
  ) : (
    <div class={look}>{inside}</div>
  );
}
