/** One picture of the README, or of another text. */
export interface PictureEntry {
  /** Its file below docs/pictures. */
  readonly file: string;
  /** What it shows, for readers who do not see it, and for the text that has it. */
  readonly says: string;
  /** The text that has it. Default: README.md. */
  readonly shownIn?: string;
  /**
   * The files that decide what is to be seen, as globs: when one of them changes, the picture may show what is not so any more.
   * Few and narrow ones, because every other change in them makes work for somebody.
   */
  readonly sources: readonly string[];
  readonly needsNoCluster?: boolean;
}

/** What the screens of the dashboard look like: its tests compare whole screens with these files. */
const screens = 'cli/talosctl/src/dashboard/testing/frames/*.txt';
const looks = 'cli/talosctl/src/dashboard/screen/encode-frame.ts';
const upgradeTutorial = 'docs/tutorials/12-upgrade-a-machine.md';
const machineScreen = [
  'services/machined/src/life/domain/console-text.ts',
  'services/machined/src/upgrade/domain/upgrade-status.ts',
] as const;

/**
 * The pictures that `make pictures` makes. To add one: a row here, its maker in `makers.ts`, and the picture in README.md
 * or in the text that its row names.
 */
export const pictureList = {
  'make-up': {
    file: 'make-up.svg',
    says: 'A recording of make up: it creates a cluster of four nodes and prints its table',
    sources: ['cli/talosctl/src/commands/cluster/{cluster-tables,step-lines}.ts'],
  },
  dashboard: {
    file: 'dashboard.svg',
    says: 'The dashboard: a node, its network, its services and their logs, merged by time',
    sources: [screens, looks],
  },
  heal: {
    file: 'heal.svg',
    says: 'A recording of the dashboard: a node is killed, etcd keeps its quorum, and the node comes back',
    sources: [screens, looks],
  },
  'dry-run': {
    file: 'dry-run.svg',
    says: 'talosctl reboot --dry-run computes the quorum of etcd and what stops',
    sources: ['packages/client/src/what-if/{effect-lines,planned-action,refusals}.ts'],
  },
  trace: {
    file: 'trace.svg',
    says: 'The trace of one command over two nodes, from Jaeger',
    sources: ['tools/pictures/print-trace.ts'],
  },
  page: {
    file: 'page.png',
    says: 'The page of talosctl ui: the map of a cluster in the browser',
    sources: ['cli/talosctl/src/ui/page/views/cluster/*.tsx', 'cli/talosctl/src/ui/page/page.css'],
  },
  documentation: {
    file: 'documentation.png',
    says: 'The page of error messages in the documentation that make docs writes',
    sources: [
      'tools/docs/assets/*',
      'tools/docs/{page-layout,render-page,highlight,operation-pages}.ts',
      'docs/troubleshooting.md',
    ],
    needsNoCluster: true,
  },
  'machine-trial': {
    file: 'machine-trial.png',
    says: 'The screen of a machine that tries the new system in slot B',
    ...{ shownIn: upgradeTutorial, sources: machineScreen, needsNoCluster: true },
  },
  'machine-back': {
    file: 'machine-back.png',
    says: 'The screen of the machine that is back on the system in slot A, with the reason',
    ...{ shownIn: upgradeTutorial, sources: machineScreen, needsNoCluster: true },
  },
} as const satisfies Readonly<Record<string, PictureEntry>>;

export type PictureName = keyof typeof pictureList;
export const pictureNames = Object.keys(pictureList) as PictureName[];

/** All pictures together, in bytes. */
export const mostBytes = 3 * 1024 * 1024;
