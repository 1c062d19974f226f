import { arrangePanels } from './arrange-panels.ts';
import { type Dependency, dependencyKinds, type ResourceIds } from './dependency.ts';
import { ink, lineLooks, paleInk, tintOf } from './dependency-colours.ts';
import { escapeMarkup } from './dot-text.ts';
import { familyPanels } from './family-panels.ts';
import type { LayOut } from './graphviz.ts';
import { panelDot } from './panel-dot.ts';

const margin = 24;
const gap = 18;
const headHeight = 26;
const padding = 10;
const legendHeight = 74;
/** Fonts with similar widths, because Graphviz computes the size of the boxes for the first one. */
const fonts = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', 'DejaVu Sans Condensed', sans-serif";

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/** Extracts the drawing and its size from an SVG document of Graphviz. */
function drawingFrom(svg: string): Drawing {
  const size = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg);
  const [begin, end] = [svg.indexOf('<g '), svg.lastIndexOf('</svg>')];
  // Remove the ids, which would repeat in every panel, and the font, which the page sets.
  const body = svg
    .slice(begin, end)
    .replaceAll(/ id="(?:graph|node|edge|a_edge|a_node)\d+"/g, '')
    .replaceAll(/ font-family="[^"]*"/g, '');
  return { width: Number(size?.[1] ?? 0), height: Number(size?.[2] ?? 0), body };
}

export interface DependencySvgInit {
  readonly title: string;
  readonly dependencies: readonly Dependency[];
  readonly resources?: ResourceIds;
  readonly layOut: LayOut;
}

/** Draws the graph as one panel per family of resources, with a legend. */
export function dependencySvg({ title, dependencies, resources, layOut }: DependencySvgInit): string {
  const panels = familyPanels(dependencies, resources).map((panel, at) => {
    const tint = tintOf(at);
    const { body, width, height } = drawingFrom(layOut(panelDot(panel, tint)));
    const headWidth = 60 + panel.family.length * 9;
    return {
      ...{ family: panel.family, tint, body },
      width: Math.max(width, headWidth) + 2 * padding,
      height: height + 2 * padding + headHeight,
      count: panel.controllers.filter(({ isAtHome }) => isAtHome).length,
    };
  });
  const { places, width, height } = arrangePanels(panels, gap);
  const drawn = panels.map((panel, at) => {
    const { x, y } = places[at] ?? { x: 0, y: 0 };
    return `<g transform="translate(${round(margin + x)} ${round(margin + legendHeight + y)})">
<rect width="${round(panel.width)}" height="${round(panel.height)}" rx="6" fill="#ffffff" stroke="#d0d7de"/>
<path d="M0 ${headHeight}V6a6 6 0 0 1 6 -6H${round(panel.width - 6)}a6 6 0 0 1 6 6V${headHeight}z" fill="${panel.tint}" stroke="#d0d7de"/>
<text x="${padding}" y="18" font-size="14" font-weight="bold" fill="${ink}">${escapeMarkup(panel.family)}</text>
<text x="${round(panel.width - padding)}" y="18" font-size="11" text-anchor="end" fill="${paleInk}">${panel.count}</text>
<g transform="translate(${padding} ${headHeight + padding})">${panel.body}</g>
</g>`;
  });
  const [pageWidth, pageHeight] = [Math.max(width, 900) + 2 * margin, height + legendHeight + 2 * margin].map(
    Math.ceil,
  );
  const controllers = new Set(dependencies.map(({ controller }) => controller)).size;
  const types = new Set(dependencies.map(({ type }) => type)).size;
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${pageWidth}" height="${pageHeight}" viewBox="0 0 ${pageWidth} ${pageHeight}" font-family="${fonts}">
<title>${escapeMarkup(title)}</title>
<rect width="100%" height="100%" fill="#f6f8fa"/>
<text x="${margin}" y="${margin + 16}" font-size="20" font-weight="bold" fill="${ink}">${escapeMarkup(title)}</text>
<text x="${margin}" y="${margin + 36}" font-size="12" fill="${paleInk}">${controllers} controllers (boxes), ${types} resource types (notes), by family. A controller's box lists inputs from other families and inputs with many readers. Dashed: belongs to another family.</text>
${legend(margin + 56)}
${drawn.join('\n')}
</svg>
`;
}

function legend(y: number): string {
  let x = margin;
  return dependencyKinds
    .map((kind) => {
      const { meaning, color, width, dashes, mark } = lineLooks[kind];
      const text = mark === '' ? meaning : `${meaning} (${mark} in a box)`;
      const entry = `<line x1="${x}" y1="${y - 4}" x2="${x + 34}" y2="${y - 4}" stroke="${color}" stroke-width="${width * 1.3}" stroke-dasharray="${dashes}"/><text x="${x + 42}" y="${y}" font-size="12" fill="${ink}">${escapeMarkup(text)}</text>`;
      x += 62 + text.length * 6.2;
      return entry;
    })
    .join('\n');
}

const round = (value: number) => Math.round(value * 10) / 10;
