/** The views in the order of the side bar. The last digit of each number, counted from 1, is the key of the first ten. */
export const views = [
  { id: 'cluster', title: 'Cluster', icon: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z' },
  { id: 'node', title: 'Node', icon: 'M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.1M6 13.5h.1' },
  { id: 'logs', title: 'Logs', icon: 'M3 5h14M3 9h10M3 13h14M3 17h8' },
  { id: 'events', title: 'Events', icon: 'M5 3v14M5 6h9M5 10h6M5 14h10' },
  { id: 'resources', title: 'Resources', icon: 'M10 2l7 4v8l-7 4-7-4V6zM3 6l7 4 7-4M10 10v8' },
  { id: 'health', title: 'Health', icon: 'M2 10h4l2-5 4 10 2-5h4' },
  { id: 'configuration', title: 'Configuration', icon: 'M5 2h7l4 4v12H5zM12 2v4h4M8 11h5M8 14h5' },
  { id: 'controllers', title: 'Controllers', icon: 'M5 5h.1M15 5h.1M10 15h.1M5 5l5 10 5-10z' },
  {
    id: 'what-if',
    title: 'What if',
    icon: 'M10 17h.1M6.5 7a3.5 3.5 0 1 1 5 3.2c-1 .6-1.5 1.3-1.5 2.8',
  },
  { id: 'traces', title: 'Traces', icon: 'M3 4h9M6 8h11M6 12h6M9 16h8' },
  { id: 'upgrade', title: 'Upgrade', icon: 'M10 15V4M5 9l5-5 5 5M4 18h12' },
] as const;

/** The key of each view. */
export const viewKeys: ReadonlyMap<string, string> = new Map(
  views.map(({ id }, at) => [id, id === 'upgrade' ? 'u' : String((at + 1) % 10)]),
);
