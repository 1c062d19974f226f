/** Lays a graph out. @param dot in the Graphviz language; gives a document of SVG */
export type LayOut = (dot: string) => string;

/**
 * Graphviz, compiled for machines like this one. It lies in a file of its own that nothing else loads: reading it costs
 * more than the rest of the tool.
 */
export async function openGraphviz(): Promise<LayOut> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return (dot) => viz.renderString(dot, { format: 'svg', engine: 'dot' });
}
