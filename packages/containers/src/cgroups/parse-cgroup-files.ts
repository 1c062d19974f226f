/** The cgroups of a process, by controller; version 2 is one hierarchy without controller names. */
export type CgroupPlaces = ReadonlyMap<string, string>;

/** Parses `/proc/<pid>/cgroup`. The cgroup of version 2 has the key `''`. Source: cgroups(7). */
export function parseCgroupPlaces(text: string): CgroupPlaces {
  const places = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    for (const controller of controllers.split(',')) places.set(controller, path);
  }
  return places;
}

/** A mounted hierarchy of cgroups. */
export interface CgroupMount {
  readonly version: 1 | 2;
  /** Controllers of a version 1 hierarchy. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
  /** The cgroup that is visible at the mount point. */
  readonly root: string;
}

/**
 * Parses `/proc/<pid>/mountinfo` and leaves out hierarchies that a later mount covers: a node whose container got version 1
 * mounts version 2 over it. Source: proc(5).
 */
export function parseCgroupMounts(text: string): CgroupMount[] {
  const mounts = text.split('\n').flatMap((line) => parseMount(line) ?? []);
  return mounts.flatMap(({ hierarchy, mountPoint }, index) => {
    if (hierarchy === undefined) return [];
    const covers = mounts.slice(index + 1);
    return covers.some((later) => isAtOrBelow(mountPoint, later.mountPoint)) ? [] : [hierarchy];
  });
}

interface Mount {
  readonly mountPoint: string;
  /** Undefined for a mount of something else. */
  readonly hierarchy: CgroupMount | undefined;
}

function parseMount(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '/', place = ''] = before.split(' ');
  if (place === '') return undefined;
  const mountPoint = unescaped(place);
  const [type, , options = ''] = after.split(' ');
  if (type === 'cgroup2') return { mountPoint, hierarchy: { version: 2, controllers: [], mountPoint, root } };
  if (type !== 'cgroup') return { mountPoint, hierarchy: undefined };
  return { mountPoint, hierarchy: { version: 1, controllers: options.split(','), mountPoint, root } };
}

const isAtOrBelow = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** The kernel writes a blank in a path as `\040`. */
function unescaped(path: string): string {
  return path.replaceAll(/\\(\d{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** The folder with a controller's files for a process; undefined where that hierarchy is not mounted. */
export function cgroupFolder(
  controller: string,
  places: CgroupPlaces,
  mounts: readonly CgroupMount[],
): { readonly version: 1 | 2; readonly path: string } | undefined {
  const first = mounts.find(({ version, controllers }) => version === 1 && controllers.includes(controller));
  const mount = first ?? mounts.find(({ version }) => version === 2);
  const place = places.get(mount?.version === 1 ? controller : '');
  if (mount === undefined || place === undefined) return undefined;
  const below = mount.root !== '/' && place.startsWith(mount.root) ? place.slice(mount.root.length) : place;
  return { version: mount.version, path: `${mount.mountPoint}${below === '/' ? '' : below}` };
}

/** Parses lines of a name and a number, such as `memory.stat` and `cpu.stat`. */
export function parseFlatKeys(text: string): ReadonlyMap<string, bigint> {
  const values = new Map<string, bigint>();
  for (const line of text.split('\n')) {
    const [, name = '', digits = ''] = /^(\S+) (\d+)$/.exec(line) ?? [];
    if (name !== '') values.set(name, BigInt(digits));
  }
  return values;
}
