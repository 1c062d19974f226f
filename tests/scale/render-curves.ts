import type { Curve } from './curve.ts';

const panel = { width: 300, height: 200, left: 46, right: 14, top: 34, bottom: 40 };

/** The memory of apid over the number of each thing, as a picture (SVG): one panel for each curve, on one scale. */
export function renderCurves(title: string, curves: readonly Curve[]): string {
  const top =
    Math.ceil((Math.max(...curves.flatMap(({ samples }) => samples.map(({ rss }) => rss))) * 1.1) / 20) * 20;
  const [width, height] = [panel.width * curves.length, panel.height + 24];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>${title}: resident memory over the number of what it serves</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="8" y="16" font-size="13">${title}</text>`,
    ...curves.map((curve, index) => renderPanel(curve, top, index * panel.width)),
    '</svg>',
    '',
  ].join('\n');
}

function renderPanel({ of, samples, kilobytesEach }: Curve, top: number, offset: number): string {
  const most = Math.max(...samples.map(({ count }) => count));
  const [innerWidth, innerHeight] = [
    panel.width - panel.left - panel.right,
    panel.height - panel.top - panel.bottom,
  ];
  const x = (count: number) => (panel.left + (innerWidth * count) / most).toFixed(1);
  const y = (rss: number) => (panel.top + innerHeight * (1 - rss / top)).toFixed(1);
  const points = samples.map(({ count, rss }) => `${x(count)},${y(rss)}`).join(' ');
  const grid = [0, 0.5, 1].flatMap((part) => [
    `<path d="M${x(0)} ${y(top * part)}H${x(most)}" stroke="#ddd"/>`,
    `<text x="${panel.left - 6}" y="${Number(y(top * part)) + 4}" text-anchor="end">${top * part}</text>`,
    `<text x="${x(most * part)}" y="${panel.height - 22}" text-anchor="middle">${most * part}</text>`,
  ]);
  return [
    `<g transform="translate(${offset} 20)">`,
    ...grid,
    `<polyline points="${points}" fill="none" stroke="#1f5fa8" stroke-width="2"/>`,
    `<text x="${panel.left}" y="${panel.top - 10}">MB resident, ${kilobytesEach.toFixed(1)} kB each</text>`,
    `<text x="${panel.left + innerWidth / 2}" y="${panel.height - 6}" text-anchor="middle">${of}</text>`,
    '</g>',
  ].join('\n');
}
