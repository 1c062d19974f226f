// Which images a cache that upgrades add to does not need any more. A wrong choice makes a machine without a registry lose what it runs, so whatever
// is unclear stays.

/** A file of a cache, by its path below the root of the cache. */
export interface CachedFile {
  readonly path: string;
  /** For a document: its own digest, and those that it names, such as `sha256:…`. Empty for other content. */
  readonly digests: readonly string[];
}

export interface NeededImages {
  /** Paths of documents: those of the images of the running system, and those that somebody names. */
  readonly paths: ReadonlySet<string>;
  /** Digests that somebody names: of an image, of a manifest or of the configuration in one. */
  readonly digests: ReadonlySet<string>;
}

const documentFolder = 'manifests/';
const contentFolder = 'blob/';
const digestInPath = /\/?(?:digest\/|blob\/)(sha256)-([0-9a-f]{64})$/;

/** The digest in the path of a file that is found by it; undefined for one that is found by a name. */
function digestOfPath(path: string): string | undefined {
  const [, algorithm, hex] = digestInPath.exec(path) ?? [];
  return hex === undefined ? undefined : `${algorithm}:${hex}`;
}

/**
 * The paths of the files that no needed image leads to, names before content: what a crash leaves is content that nothing names, which the next
 * removal finds again.
 */
export function oldImageFiles(files: readonly CachedFile[], needed: NeededImages): string[] {
  const documents = files.filter(({ path }) => path.startsWith(documentFolder));
  const byDigest = new Map(
    documents.flatMap((one) => {
      const digest = digestOfPath(one.path);
      return digest === undefined ? [] : [[digest, one] as const];
    }),
  );
  const reachedFrom = (start: CachedFile): Set<string> => {
    const reached = new Set<string>();
    for (const waiting = [start]; waiting.length > 0; ) {
      for (const digest of waiting.pop()?.digests ?? []) {
        if (reached.has(digest)) continue;
        reached.add(digest);
        const next = byDigest.get(digest);
        if (next !== undefined) waiting.push(next);
      }
    }
    return reached;
  };
  const kept = new Set<string>();
  const content = new Set<string>();
  for (const one of documents) {
    const reached = reachedFrom(one);
    const isNeeded = needed.paths.has(one.path) || [...needed.digests].some((digest) => reached.has(digest));
    if (!isNeeded) continue;
    kept.add(one.path);
    for (const digest of reached) content.add(digest);
  }
  const isOld = ({ path }: CachedFile) => {
    const digest = digestOfPath(path);
    if (path.startsWith(documentFolder))
      return !kept.has(path) && (digest === undefined || !content.has(digest));
    // Anything else is no part of a cache, and none of our business.
    return path.startsWith(contentFolder) && digest !== undefined && !content.has(digest);
  };
  const order = ({ path }: CachedFile) =>
    path.startsWith(contentFolder) ? 2 : digestOfPath(path) === undefined ? 0 : 1;
  return files
    .filter(isOld)
    .toSorted((a, b) => order(a) - order(b))
    .map(({ path }) => path);
}
