import type { ConfigDocument, Configuration } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { formatPath, type ValuePath } from '../effective/config-reader.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { findNode, formatPosition } from '../yaml/config-node.ts';
import { entriesOf, isYamlList, isYamlMap, mapFromEntries, type YamlValue } from '../yaml/yaml-value.ts';

/** A key of a document that nothing has read. It has no value, which may be a secret. */
export interface UnreadKey {
  /** `v1alpha1`, a kind, or a kind and the name of the document. */
  readonly document: string;
  /** The highest key below which nothing was read, such as `machine.disks`. */
  readonly path: string;
  /** The same path in parts. */
  readonly at: ValuePath;
  /** Line and column in the source, if the document has one. */
  readonly position?: string;
}

/** Keys that say which document it is, and keys that nodes ignore. */
const skipped = new Set(['name', 'version', 'persist']);

/**
 * Runs a function over a copy of the configuration, and lists the keys that it has not looked at. A part that the function only passes on
 * counts as read when something reads it before the function returns.
 */
export function unreadKeys(
  configuration: Configuration,
  read: (configuration: Configuration) => void,
): UnreadKey[] {
  const documents = configuration.map((document) => {
    const paths = new Set<string>();
    return { document, paths, copy: { ...document, value: recorded(copyOf(document.value), '', paths) } };
  });
  read(documents.map(({ copy }) => copy) as Configuration);
  return documents.flatMap(({ document, paths }) =>
    unreadBelow(document.value, [], paths)
      .filter(([first, ...rest]) => rest.length > 0 || !skipped.has(String(first)))
      .map((path) => keyOf(document, path)),
  );
}

function keyOf(document: ConfigDocument, path: ValuePath): UnreadKey {
  const { kind, origin } = document;
  return {
    document: kind === legacyKind ? 'v1alpha1' : labelOf(document),
    path: formatPath(path),
    at: path,
    ...(origin && { position: formatPosition(findNode(origin.root, path)) }),
  };
}

/** The highest paths of which nothing was read. An empty list or mapping counts as a value. */
function unreadBelow(value: YamlValue, path: ValuePath, read: ReadonlySet<string>): ValuePath[] {
  const children: [string | number, YamlValue][] = isYamlList(value)
    ? value.map((item, at) => [at, item])
    : isYamlMap(value)
      ? entriesOf(value)
      : [];
  if (path.length > 0 && !read.has(pathKey(path))) return [path];
  return children.flatMap(([key, child]) => unreadBelow(child, [...path, key], read));
}

const pathKey = (path: ValuePath) => path.map((part) => `/${String(part).replaceAll('/', '//')}`).join('');

/** A copy whose parts a proxy may replace: some of the originals are frozen. */
function copyOf(value: YamlValue): YamlValue {
  if (isYamlList(value)) return value.map(copyOf);
  if (isYamlMap(value)) return mapFromEntries(entriesOf(value).map(([key, child]) => [key, copyOf(child)]));
  return value;
}

/** Wraps a value so that `paths` gets each part of it that is read. */
export function recorded<V>(value: V, path: string, paths: Set<string>): V {
  if (typeof value !== 'object' || value === null) return value;
  const parts = new Map<string, unknown>();
  return new Proxy(value, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return part;
      if (Array.isArray(target) && key === 'length') return part;
      const inside = `${path}/${key.replaceAll('/', '//')}`;
      paths.add(inside);
      if (!parts.has(key)) parts.set(key, recorded(part, inside, paths));
      return parts.get(key);
    },
  });
}
