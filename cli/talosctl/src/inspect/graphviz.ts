/** Lays out a graph in the Graphviz language and returns an SVG document. */
export type LayOut = (dot: string) => string;

/**
 * Loads Graphviz, compiled to WebAssembly. It is imported only on demand, because loading it takes longer than the rest
 * of this program.
 */
export async function openGraphviz(): Promise<LayOut> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return (dot) => viz.renderString(dot, { format: 'svg', engine: 'dot' });
}
