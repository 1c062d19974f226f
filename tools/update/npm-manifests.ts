import { isLater, isRelease } from './versions.ts';

const lists = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

export type NpmManifest = Readonly<Partial<Record<(typeof lists)[number], Readonly<Record<string, string>>>>>;

/** The packages of the registry that manifests pin, by name. The parts of this checkout have no version. */
export function pinnedPackages(manifests: readonly NpmManifest[]): ReadonlyMap<string, string> {
  const all = manifests.flatMap((manifest) => lists.flatMap((list) => Object.entries(manifest[list] ?? {})));
  return new Map(all.filter(([, version]) => isRelease(version)));
}

/** The newest version of each package in the output of `npm outdated --json`, by name. */
export function newestOfOutdated(output: string): ReadonlyMap<string, string> {
  type Row = { readonly latest?: string };
  const found = Object.entries(JSON.parse(output === '' ? '{}' : output) as Record<string, Row | Row[]>);
  return new Map(
    found.flatMap(([name, rows]): [string, string][] => {
      const latest = [rows].flat()[0]?.latest;
      return latest === undefined || !isRelease(latest) ? [] : [[name, latest]];
    }),
  );
}

/** The manifest with later versions, where there are any. */
export function renewManifest<T extends NpmManifest>(manifest: T, newest: ReadonlyMap<string, string>): T {
  const renewed = lists.flatMap((list) => {
    const pinned = manifest[list];
    if (pinned === undefined) return [];
    const all = Object.entries(pinned).map(([name, version]) => {
      const latest = newest.get(name);
      return [
        name,
        latest !== undefined && isRelease(version) && isLater(latest, version) ? latest : version,
      ];
    });
    return [[list, Object.fromEntries(all)]];
  });
  return { ...manifest, ...Object.fromEntries(renewed) };
}
