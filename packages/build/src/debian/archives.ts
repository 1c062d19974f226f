/** The archives of Debian that the locked packages come from. */
export interface DebianArchive {
  /** Its suites that the lock reads. The newest version of a package in any of them counts. */
  readonly suites: readonly string[];
  /** Root of a mirror, for machines whose apt names none. Without a trailing slash, like all roots. */
  readonly publicMirror: string;
  /** Variable of the environment that names another mirror. */
  readonly variable: string;
  /** Where the snapshot archive has every version that was ever published; a time follows. */
  readonly snapshots: string;
}

export const debianArchives = {
  debian: {
    suites: ['trixie', 'trixie-updates'],
    publicMirror: 'https://deb.debian.org/debian',
    variable: 'DEBIAN_MIRROR',
    snapshots: 'https://snapshot.debian.org/archive/debian',
  },
  // Security updates come here days or weeks before a point release has them.
  'debian-security': {
    suites: ['trixie-security'],
    publicMirror: 'https://deb.debian.org/debian-security',
    variable: 'DEBIAN_SECURITY_MIRROR',
    snapshots: 'https://snapshot.debian.org/archive/debian-security',
  },
} as const satisfies Readonly<Record<string, DebianArchive>>;

export type DebianArchiveName = keyof typeof debianArchives;

export const debianArchiveNames = Object.keys(debianArchives) as readonly DebianArchiveName[];

export const isDebianArchiveName = (name: unknown): name is DebianArchiveName =>
  typeof name === 'string' && Object.hasOwn(debianArchives, name);
