/** A group of keys, for `dashboard --help` and for the page of `?`. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly { readonly term: string; readonly text: string }[];
}

/** All keys of the dashboard. */
export const keyGroups: readonly KeyGroup[] = [
  {
    title: 'Everywhere',
    keys: [
      { term: '?', text: 'show these keys' },
      { term: '1 to 7, F1 to F7', text: 'summary, monitor, resources, logs, nodes, events, etcd' },
      { term: 'h l, left right', text: 'previous node, next node' },
      { term: 'j k, arrows, page', text: 'move in a list, a log or a document; home, end (g, G)' },
      {
        term: 'a',
        text: 'actions on the node: reboot, shut down, services; each is explained and confirmed',
      },
      { term: 'Ctrl-Z', text: 'freeze and resume the display' },
      { term: 'Ctrl-L', text: 'draw the screen again' },
      { term: 'q, Ctrl-C', text: 'leave' },
    ],
  },
  {
    title: 'Summary and logs',
    keys: [
      { term: 'tab, [ ]', text: 'next log, previous log; "all services" merges them by time' },
      { term: 'n', text: 'logs: of this node, of all nodes' },
      { term: 'o', text: "logs: show the dashboard's own requests, hide them" },
      { term: '/', text: 'logs: filter the lines; enter keeps the filter, esc clears it' },
    ],
  },
  { title: 'Monitor', keys: [{ term: 'c m', text: 'sort processes by CPU, by memory' }] },
  {
    title: 'Resources',
    keys: [
      { term: 'enter, esc', text: 'open a kind or a resource, go back' },
      { term: '/', text: 'filter: names that are equal come first' },
    ],
  },
  { title: 'Nodes', keys: [{ term: 'enter', text: 'open the node' }] },
  {
    title: 'Events',
    keys: [
      { term: 'n', text: 'events of all nodes, of this node' },
      { term: 'enter', text: 'show only what the same call caused, on all nodes; esc shows all again' },
      { term: '/', text: 'filter the events' },
    ],
  },
];

/** The lines of the page of `?`: a title of a group, or a key and its text. */
export const helpLines: readonly (string | { readonly term: string; readonly text: string })[] =
  keyGroups.flatMap(({ title, keys }) => [title, ...keys]);
