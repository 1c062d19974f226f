export interface PanelSize {
  readonly width: number;
  readonly height: number;
}

export interface Arrangement extends PanelSize {
  /** The upper left corner of each panel, in the order of the input. */
  readonly places: readonly { readonly x: number; readonly y: number }[];
}

/** The preferred ratio of width to height, that of a screen. */
const shape = 1.6;

/** Arranges panels on a page with little unused space and the proportions of a screen. */
export function arrangePanels(panels: readonly PanelSize[], gap: number): Arrangement {
  const area = panels.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0);
  const widest = Math.max(0, ...panels.map(({ width }) => width));
  let best: { readonly arrangement: Arrangement; readonly cost: number } | undefined;
  for (let tried = 0; tried < 30; tried += 1) {
    const pageWidth = Math.max(widest, Math.sqrt(area * shape) * (0.7 + tried * 0.03));
    const arrangement = fillPage(panels, gap, pageWidth);
    const { width, height } = arrangement;
    const distortion = Math.max(width / height / shape, (height * shape) / width);
    const cost = width * height * Math.sqrt(distortion);
    if (best === undefined || cost < best.cost) best = { arrangement, cost };
  }
  return best?.arrangement ?? { places: [], width: 0, height: 0 };
}

/** Places the panels from the highest to the lowest, each at the uppermost free position. */
function fillPage(panels: readonly PanelSize[], gap: number, pageWidth: number): Arrangement {
  const order = panels.map((panel, at) => ({ panel, at })).sort((a, b) => b.panel.height - a.panel.height);
  // The lower edge of the placed panels, as segments from left to right.
  let skyline = [{ x: 0, width: pageWidth + gap, y: 0 }];
  const places: { x: number; y: number }[] = [];
  let height = 0;
  for (const { panel, at } of order) {
    const place = lowestPlace(skyline, panel.width + gap, pageWidth + gap);
    places[at] = place;
    skyline = raise(skyline, place.x, panel.width + gap, place.y + panel.height + gap);
    height = Math.max(height, place.y + panel.height);
  }
  const width = Math.max(0, ...places.map(({ x }, at) => x + (panels[at]?.width ?? 0)));
  return { places, width, height };
}

type Skyline = readonly { readonly x: number; readonly width: number; readonly y: number }[];

function lowestPlace(skyline: Skyline, width: number, pageWidth: number): { x: number; y: number } {
  let best = { x: 0, y: Number.POSITIVE_INFINITY };
  for (const { x } of skyline) {
    if (x + width > pageWidth + 0.5) continue;
    const under = skyline.filter((piece) => piece.x < x + width && piece.x + piece.width > x);
    const y = Math.max(...under.map((piece) => piece.y));
    if (y < best.y) best = { x, y };
  }
  return best;
}

function raise(skyline: Skyline, x: number, width: number, y: number) {
  const end = x + width;
  const left = skyline.flatMap((piece) =>
    piece.x < x ? [{ ...piece, width: Math.min(piece.width, x - piece.x) }] : [],
  );
  const right = skyline.flatMap((piece) => {
    const from = Math.max(piece.x, end);
    const to = piece.x + piece.width;
    return to > from ? [{ x: from, width: to - from, y: piece.y }] : [];
  });
  return [...left, { x, width, y }, ...right];
}
