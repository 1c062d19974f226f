import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';

export interface Series {
  readonly name: string;
  /** Name of the custom property of the style sheet that has the colour. */
  readonly colour: string;
  readonly values: readonly (number | undefined)[];
}

interface TimeChartProps {
  readonly title: string;
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
  /** The value at the upper edge; undefined: the largest one. */
  readonly most?: number;
}

const height = 150;
const windowSeconds = 600;

/** Figures over the last ten minutes. */
export function TimeChart(props: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const { title, times, series, text, most } = props;
  const data = useMemo(() => dataOf(props), [times, series]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new UPlot(optionsOf(props, element), data, element);
    plot.current = made;
    const resize = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    const redraw = () => made.redraw(false, true);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    document.addEventListener('schemechange', redraw);
    return () => {
      resize.disconnect();
      scheme.removeEventListener('change', redraw);
      document.removeEventListener('schemechange', redraw);
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [data]);
  const last = series.map(({ name, colour, values }) => ({ name, colour, value: values.at(-1) }));
  const summary = last.map(({ name, value }) => `${name} ${value === undefined ? 'unknown' : text(value)}`);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        {last.map(({ name, colour, value }) => (
          <span key={name}>
            <svg class={`swatch ${colour}`} viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" rx="2" />
            </svg>
            {name} <b>{value === undefined ? '–' : text(value)}</b>
          </span>
        ))}
      </figcaption>
      <div
        ref={place}
        class="plot"
        role="img"
        aria-label={`${title} over the last ${times.length < 2 ? 'moments' : 'ten minutes'}: ${summary.join(', ')}`}
        data-most={most}
      />
    </figure>
  );
}

function dataOf({ times, series }: TimeChartProps): UPlot.AlignedData {
  return [
    times.map((ms) => ms / 1000),
    ...series.map(({ values }) => values.map((value) => value ?? null)),
  ] as UPlot.AlignedData;
}

function optionsOf({ series, text, most }: TimeChartProps, element: HTMLElement): UPlot.Options {
  const colour = (name: string) => () => getComputedStyle(element).getPropertyValue(`--${name}`);
  const axis = {
    stroke: colour('soft'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colour('grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: (_plot, _least, last) => [last - windowSeconds, last] },
      y: { range: (_plot, _least, last) => [0, most ?? Math.max(last * 1.1, 1)] },
    },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map(clock), space: 70, size: 26 },
      { ...axis, values: (_plot, splits) => splits.map(text), size: 72, space: 34 },
    ],
    series: [
      {},
      ...series.map(({ name, colour: of }) => ({
        label: name,
        stroke: colour(of),
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
}

const clock = (seconds: number) => {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((each) => String(each).padStart(2, '0'))
    .join(':');
};
