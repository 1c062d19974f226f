import type { Point } from '../../protocol/messages.ts';
import { memo } from './memo.ts';

interface SparklineProps {
  readonly points: readonly Point[];
  readonly of: 'cpu' | 'memory' | 'load';
  /** The value at the upper edge; undefined: the largest one, at least 1. */
  readonly most?: number | undefined;
}

const width = 120;
const height = 28;
const windowMs = 600_000;

/** The last ten minutes of a figure. Gaps are times at which the node did not answer. */
export const Sparkline = memo(({ points, of, most }: SparklineProps) => {
  const endMs = points.at(-1)?.atMs ?? 0;
  const top = most ?? Math.max(1, ...points.map((point) => point[of] ?? 0));
  const x = (atMs: number) => Math.round((width - ((endMs - atMs) / windowMs) * width) * 10) / 10;
  const y = (value: number) =>
    Math.round((height - 1 - (Math.min(value, top) / top) * (height - 3)) * 10) / 10;
  const runs = runsOf(points, of);
  const lines = runs.map((run) => run.map(([atMs, value]) => `${x(atMs)} ${y(value)}`).join('L'));
  const areas = runs.map((run, at) => {
    const [first, last] = [run[0]?.[0] ?? 0, run.at(-1)?.[0] ?? 0];
    return `M${x(first)} ${height}L${lines[at]}L${x(last)} ${height}Z`;
  });
  return (
    <svg
      class={`spark ${of}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="area" d={areas.join('')} />
      <path class="line" d={lines.map((line) => `M${line}`).join('')} />
    </svg>
  );
});

/** The points that have the figure, cut where it is missing. */
function runsOf(points: readonly Point[], of: SparklineProps['of']): (readonly [number, number])[][] {
  const runs: [number, number][][] = [[]];
  for (const point of points) {
    const value = point[of];
    if (value !== undefined) runs.at(-1)?.push([point.atMs, value]);
    else if ((runs.at(-1)?.length ?? 0) > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}
