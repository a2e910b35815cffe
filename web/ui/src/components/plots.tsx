/** Plots that are light, read in both colours, and are a table for whoever does not see them. */
import type { RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../i18n";

export interface Series {
  name: string;
  tone: string;
  /** One for each place on the axis; null: nothing is known. */
  values: (number | null)[];
}

interface Props {
  title: string;
  words: string;
  axis: string[]; // what each place on the axis is called
  series: Series[];
  format: (value: number) => string;
  stacked?: boolean;
}

const FIRST_WIDTH = 640;
const HEIGHT = 180;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 10;

export function Plot({ title, words, axis, series, format, stacked = false }: Props) {
  const id = useId();
  const [at, setAt] = useState<number | null>(null);
  const top = niceTop(most(series, stacked));
  const [frame, WIDTH] = useWidth();
  const step = (WIDTH - LEFT) / Math.max(1, axis.length);
  const x = (index: number) => LEFT + (index + 0.5) * step;
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const index = Math.floor((((event.clientX - box.left) / box.width) * WIDTH - LEFT) / step);
    setAt(index >= 0 && index < axis.length ? index : null);
  };
  const marks = [0, Math.floor((axis.length - 1) / 2), axis.length - 1].filter((one, index, all) => all.indexOf(one) === index);
  return (
    <figure class="plot">
      <figcaption>
        <h2>{title}</h2>
        <p class="faint">{words}</p>
        <ul class="plain legend" aria-hidden="true">
          {series.map((one) => (
            <li key={one.name}>
              <span class={`swatch fill-${one.tone}`} /> {one.name}
              {at !== null && <strong class="numbers"> {one.values[at] == null ? "–" : format(one.values[at]!)}</strong>}
            </li>
          ))}
          <li class="faint plot-at">{at === null ? "" : axis[at]}</li>
        </ul>
      </figcaption>
      <svg
        ref={frame}
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-labelledby={`${id}-title ${id}-words`}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-words`}>{words}</desc>
        {[0, 0.5, 1].map((share) => (
          <g key={share} class="plot-line">
            <line x1={LEFT} x2={WIDTH} y1={y(top * share)} y2={y(top * share)} />
            <text x={LEFT - 8} y={y(top * share) + 4} text-anchor="end">{format(top * share)}</text>
          </g>
        ))}
        {marks.map((index) => (
          <text key={index} class="plot-mark" x={index === axis.length - 1 && index > 0 ? WIDTH : index === 0 ? LEFT : x(index)} y={HEIGHT - 5} text-anchor={index === 0 ? "start" : index === axis.length - 1 ? "end" : "middle"}>
            {axis[index]}
          </text>
        ))}
        {at !== null && <rect class="plot-cursor" x={LEFT + at * step} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} />}
        {stacked ? <Columns series={series} x={x} y={y} width={Math.max(1, step * 0.76)} /> : series.map((one) => <Curve key={one.name} series={one} x={x} y={y} />)}
      </svg>
      <details>
        <summary>{t("as_table")}</summary>
        <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("time")}</th>
                {series.map((one) => <th key={one.name} scope="col" class="right">{one.name}</th>)}
              </tr>
            </thead>
            <tbody>
              {axis.map((name, index) =>
                series.every((one) => !one.values[index]) ? null : (
                  <tr key={index}>
                    <th scope="row">{name}</th>
                    {series.map((one) => <td key={one.name} class="right numbers">{one.values[index] == null ? "–" : format(one.values[index]!)}</td>)}
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** As wide as there is room, so that letters and lines are the same size everywhere. */
function useWidth(): [RefObject<SVGSVGElement>, number] {
  const frame = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.max(240, Math.round(entry.contentRect.width))));
    if (frame.current) watch.observe(frame.current);
    return () => watch.disconnect();
  }, []);
  return [frame, width];
}

interface Scales {
  x: (index: number) => number;
  y: (value: number) => number;
}

function Columns({ series, x, y, width }: Scales & { series: Series[]; width: number }) {
  const below: number[] = [];
  return (
    <>
      {series.map((one) => (
        <g key={one.name} class={`ink-${one.tone}`}>
          {one.values.map((value, index) => {
            const start = below[index] ?? 0;
            below[index] = start + (value ?? 0);
            return value ? <rect key={index} x={x(index) - width / 2} y={y(start + value)} width={width} height={y(start) - y(start + value)} /> : null;
          })}
        </g>
      ))}
    </>
  );
}

/** A line where minutes follow one another, a dot where one stands alone. */
function Curve({ series, x, y }: Scales & { series: Series }) {
  const runs: [number, number][][] = [];
  let open = false;
  series.values.forEach((value, index) => {
    if (value === null) open = false;
    else {
      if (!open) runs.push([]);
      runs[runs.length - 1]!.push([x(index), y(value)]);
      open = true;
    }
  });
  return (
    <g class={`ink-${series.tone}`}>
      {runs.map((run, index) => (
        <g key={index}>
          {run.length > 1 && <polyline points={run.map((one) => one.map((number) => number.toFixed(1)).join(",")).join(" ")} />}
          {run.map(([left, top], number) => <circle key={number} cx={left} cy={top} r={run.length > 40 ? 1.2 : 2.4} />)}
        </g>
      ))}
    </g>
  );
}

function most(series: Series[], stacked: boolean): number {
  const known = series.flatMap((one) => one.values.map((value) => value ?? 0));
  if (!stacked) return Math.max(0, ...known);
  const length = Math.max(0, ...series.map((one) => one.values.length));
  return Math.max(0, ...Array.from({ length }, (_, index) => series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0)));
}

/** The next number that reads well, halved as well as whole. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((one) => one * power).find((one) => one >= value) ?? value;
}
