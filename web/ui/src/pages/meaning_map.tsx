/** Memories as a map: near ones say similar things. Zoom, look around, open one. */
import { Minus, Plus, Scan } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, unwrap, type MapPoint } from "../api";
import { Empty, ErrorBox, Loading, Said } from "../components/basics";
import { KindBadge, lookOf } from "../components/kinds";
import { useApp } from "../context";
import { age, cut, withoutTime } from "../format";
import { t } from "../i18n";
import { placeKey, scopeOf } from "../place";
import { useResource } from "../resource";

interface View {
  x: number;
  y: number;
  size: number; // of what is seen, in units of the map, which is 2 wide
}

const WHOLE: View = { x: 0, y: 0, size: 2.2 };
const CLOSEST = 0.02;
const STEP = 1.4;

function zoomed(view: View, by: number, x = view.x, y = view.y): View {
  const size = Math.min(WHOLE.size, Math.max(CLOSEST, view.size / by));
  const kept = size / view.size; // what is below the pointer stays there
  return size === WHOLE.size ? WHOLE : { size, x: x + (view.x - x) * kept, y: y + (view.y - y) * kept };
}

interface Props {
  kinds: string[];
  words: string;
  onOpen: (id: string) => void;
}

export function MeaningMap({ kinds, words, onOpen }: Props) {
  const { place, version, summary } = useApp();
  const query = { ...scopeOf(place), kinds: kinds as never };
  const { data, error, loading, reload } = useResource(
    `map ${placeKey(place)} ${kinds.join()}`,
    () => unwrap(api.GET("/v1/map", { params: { query } })),
    version,
  );
  const points = useMemo(() => apart(data?.points ?? []), [data]);
  if (error) return <ErrorBox error={error} retry={reload} />;
  if (!data) return loading ? <Loading /> : null;
  if (!points.length) {
    return (
      <Empty title={t("no_map")}>
        <p>{data.without ? t("no_map_words") : t("nothing_here_words")}</p>
        {data.without > 0 && summary?.degraded["embedder"] && <p>{summary.degraded["embedder"]}</p>}
      </Empty>
    );
  }
  return <Plane points={points} same={data.points.length - points.length} without={data.without} words={words} onOpen={onOpen} />;
}

function Plane({ points, same, without, words, onOpen }: { points: MapPoint[]; same: number; without: number } & Omit<Props, "kinds">) {
  const [view, setView] = useState<View>(WHOLE);
  const [at, setAt] = useState<number | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; y: number; view: View; moved: boolean } | null>(null);
  /** From pixels to units of the map, which fills its frame whatever its form. */
  const scaled = (right: number, down: number) => {
    const box = svg.current!.getBoundingClientRect();
    return { x: (right / Math.max(1, box.width)) * view.size, y: (down / Math.max(1, box.height)) * view.size };
  };
  const under = (event: MouseEvent) => {
    const box = svg.current!.getBoundingClientRect();
    const { x, y } = scaled(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    return { x: view.x + x, y: view.y + y };
  };
  useEffect(() => {
    const element = svg.current;
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      const { x, y } = under(event);
      setView((was) => zoomed(was, event.deltaY < 0 ? STEP : 1 / STEP, x, y));
    };
    element?.addEventListener("wheel", turned, { passive: false }); // or the page would scroll
    return () => element?.removeEventListener("wheel", turned);
  }, [view]);

  const choose = (index: number | null) => {
    setAt(index);
    const point = index === null ? undefined : points[index];
    const outside = point && Math.max(Math.abs(point.x - view.x), Math.abs(point.y - view.y)) > view.size / 2;
    if (point && outside) setView({ ...view, x: point.x, y: point.y });
  };
  const pressed = (event: KeyboardEvent) => {
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = arrows[event.key];
    if (way) choose(nearest(points, at, way, view));
    else if (event.key === "Enter" && at !== null && points[at]) onOpen(points[at].id);
    else if (event.key === "+" || event.key === "=") setView(zoomed(view, STEP, points[at ?? -1]?.x, points[at ?? -1]?.y));
    else if (event.key === "-") setView(zoomed(view, 1 / STEP));
    else if (event.key === "0") setView(WHOLE);
    else return;
    event.preventDefault();
  };
  const moved = (event: PointerEvent) => {
    const start = drag.current;
    if (!start) return;
    const [right, down] = [event.clientX - start.x, event.clientY - start.y];
    if (!start.moved && Math.hypot(right, down) < 4) return;
    start.moved = true;
    const { x, y } = scaled(right, down);
    setView({ ...start.view, x: start.view.x - x, y: start.view.y - y });
  };
  const indexOf = (event: Event) => Number((event.target as Element).getAttribute("data-index") ?? -1);
  const shown = at === null ? undefined : points[at];
  const wanted = words.toLowerCase();
  const drawn = useMemo(
    () => points.filter((one) => isSeen(one, view) && (!wanted || one.text.toLowerCase().includes(wanted))),
    [points, wanted, view],
  );
  const counts = useMemo(() => countsOf(drawn), [drawn]);
  const labels = useMemo(() => labelled(drawn, shown, view), [drawn, shown, view]);
  const dots = useMemo(
    () =>
      points.map((point, index) => (
        <path
          key={point.id}
          data-index={index}
          class={`dot dot-${lookOf(point.kind).tone}${wanted && !point.text.toLowerCase().includes(wanted) ? " dim" : ""}`}
          d={`M${point.x} ${point.y}h0`}
        />
      )),
    [points, wanted],
  );
  return (
    <section class="map" aria-label={t("map")}>
      <div class="map-frame" tabIndex={0} role="application" aria-label={t("map_help")} onKeyDown={pressed}>
        <svg
          ref={svg}
          viewBox={`${view.x - view.size / 2} ${view.y - view.size / 2} ${view.size} ${view.size}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerDown={(event) => (drag.current = { x: event.clientX, y: event.clientY, view, moved: false })}
          onPointerMove={moved}
          onPointerUp={() => setTimeout(() => (drag.current = null))}
          onPointerLeave={() => (drag.current = null)}
          onMouseOver={(event) => indexOf(event) >= 0 && setAt(indexOf(event))}
          onClick={(event) => {
            const index = indexOf(event);
            if (index >= 0 && points[index] && !drag.current?.moved) onOpen(points[index].id);
          }}
        >
          {dots}
          {shown && <path class="dot-ring" d={`M${shown.x} ${shown.y}h0`} />}
          {shown && <path class={`dot dot-${lookOf(shown.kind).tone} chosen`} data-index={at} d={`M${shown.x} ${shown.y}h0`} />}
        </svg>
        {labels.map((one) => (
          <span
            key={one.id}
            aria-hidden="true"
            class={`map-label${one === shown ? " chosen" : ""}${isBefore(one, view) ? " before" : ""}`}
            style={{ insetInlineStart: `${percentOf(one.x, view.x, view)}%`, top: `${percentOf(one.y, view.y, view)}%` }}
          >
            <span><Said text={cut(withoutTime(one.text), LABEL_CHARS)} /></span>
          </span>
        ))}
      </div>
      <div class="map-tools">
        <button type="button" class="icon-button" aria-label={t("zoom_in")} title={t("zoom_in")} onClick={() => setView(zoomed(view, STEP))}>
          <Plus size={18} aria-hidden="true" />
        </button>
        <button type="button" class="icon-button" aria-label={t("zoom_out")} title={t("zoom_out")} onClick={() => setView(zoomed(view, 1 / STEP))}>
          <Minus size={18} aria-hidden="true" />
        </button>
        <button type="button" class="icon-button" aria-label={t("zoom_all")} title={t("zoom_all")} onClick={() => setView(WHOLE)}>
          <Scan size={18} aria-hidden="true" />
        </button>
      </div>
      <div class="map-foot">
        <p class="map-words" aria-live="polite">
          {shown ? (
            <>
              <KindBadge kind={shown.kind} /> <Said text={cut(withoutTime(shown.text), 160)} /> <span class="faint">{age(shown.time)}</span>
            </>
          ) : (
            <span class="faint">{t("map_words")}</span>
          )}
        </p>
        <p class="legend faint">
          {counts.map(([kind, count]) => (
            <span key={kind}><span class={`legend-dot fill-${lookOf(kind).tone}`} aria-hidden="true" /> {t(lookOf(kind).name)} {count}</span>
          ))}
          {same > 0 && <span>{t("map_same", { count: same })}</span>}
          {without > 0 && <span>{t("map_without", { count: without })}</span>}
        </p>
      </div>
    </section>
  );
}

/** One of those that say the same: they lie on one dot. */
function apart(points: MapPoint[]): MapPoint[] {
  const found = new Map<string, MapPoint>();
  for (const one of points) {
    const key = `${one.kind} ${one.x.toFixed(4)} ${one.y.toFixed(4)} ${one.text}`;
    if (!found.has(key)) found.set(key, one);
  }
  return [...found.values()];
}

const MOST_LABELS = 9;
const MOST_TRIED = 300;
const LABEL_CHARS = 30;
/** What somebody learned says more than what a tool looked up. */
const TELLING = ["fact", "procedure", "event", "summary"];

const percentOf = (value: number, middle: number, view: View) => 50 + ((value - middle) / view.size) * 100;
const isBefore = (point: MapPoint, view: View) => point.x > view.x + view.size / 4;
const isSeen = (point: MapPoint, view: View) => Math.max(Math.abs(point.x - view.x), Math.abs(point.y - view.y)) <= view.size / 2;

/** The chosen one and those nearest to it; with none chosen, a few that do not cover each other. */
function labelled(points: MapPoint[], chosen: MapPoint | undefined, view: View): MapPoint[] {
  const rank = (one: MapPoint) => {
    const at = TELLING.indexOf(one.kind);
    return at < 0 ? TELLING.length : at;
  };
  const far = (one: MapPoint) => (chosen ? Math.hypot(one.x - chosen.x, one.y - chosen.y) : rank(one));
  const at = (one: MapPoint) => [percentOf(one.x, view.x, view), percentOf(one.y, view.y, view)] as const;
  const found: MapPoint[] = [];
  for (const one of [...points].sort((a, b) => far(a) - far(b)).slice(0, MOST_TRIED)) {
    const [x, y] = at(one);
    const way = isBefore(one, view) ? -1 : 1; // to which side of its dot the label lies
    const isFree = found.every((other) => Math.abs(at(other)[0] - x) > 24 || Math.abs(at(other)[1] - y) > 7);
    const covers = points.some((other) => other !== one && (at(other)[0] - x) * way > 0 && (at(other)[0] - x) * way < 23 && Math.abs(at(other)[1] - y) < 3);
    if (one === chosen || (isFree && !covers && y > 4 && y < 96)) found.push(one);
    if (found.length >= MOST_LABELS) break;
  }
  return found;
}

function countsOf(points: MapPoint[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { kind } of points) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** The next point in a direction; from nowhere, the one nearest to the middle of what is seen. */
function nearest(points: MapPoint[], from: number | null, way: [number, number], view: View): number | null {
  const start = from === null ? view : (points[from] ?? view);
  let best: number | null = from;
  let least = Infinity;
  points.forEach((point, index) => {
    if (index === from) return;
    const [right, down] = [point.x - start.x, point.y - start.y];
    const along = right * way[0] + down * way[1];
    const aside = Math.abs(right * way[1]) + Math.abs(down * way[0]);
    if (from !== null && along <= 1e-6) return;
    const cost = from === null ? Math.hypot(right, down) : along + 2 * aside;
    if (cost < least) [best, least] = [index, cost];
  });
  return best;
}
