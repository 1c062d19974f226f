import type { Configuration } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { formatPath, type ValuePath } from '../effective/config-reader.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { compareValues, type EffectiveDifference } from './compare-effective.ts';
import { hiddenPaths } from './effective-view.ts';
import type { UnreadKey } from './record-reads.ts';
import { isUnset, startsWith, valueAt } from './value-path.ts';

const off = 'it is switched off, or belongs to what is not used';
const shadowed = 'another key of the same setting wins over it';

/**
 * Keys of v1alpha1 whose values make no difference when nothing reads them, and why. No node does anything with the first two. The others are
 * settings, and stay unread only when another key wins over them or switches them off.
 *
 * Source: Talos v1.14: machine configuration, v1alpha1 document.
 */
const withoutEffect: readonly { readonly path: ValuePath; readonly why: string }[] = [
  {
    path: ['cluster', 'apiServer', 'disablePodSecurityPolicy'],
    why: 'Kubernetes has no such policy any more',
  },
  {
    path: ['machine', 'kubelet', 'disableManifestsDirectory'],
    why: 'nodes never read static pods from files',
  },
  { path: ['machine', 'install', 'disk'], why: shadowed },
  { path: ['machine', 'systemDiskEncryption'], why: shadowed },
  { path: ['cluster', 'allowSchedulingOnMasters'], why: shadowed },
  { path: ['machine', 'features', 'kubernetesTalosAPIAccess'], why: off },
  { path: ['cluster', 'discovery', 'registries'], why: off },
  { path: ['cluster', 'network', 'cni'], why: off },
];

/** Why nothing compares a key that `unreadKeys()` has found; `undefined` when its value is compared as it is written. */
export function whyNotCompared({ document, at }: UnreadKey): string | undefined {
  if (document !== legacyKind) return undefined;
  return withoutEffect.find(({ path }) => startsWith(at, path))?.why;
}

/**
 * Compares the values of keys that nothing has read, and that `compareEffective()` does not compare either, because they are in sections or
 * documents of which it has the settings. The paths are those that `compareEffective()` would give them.
 */
export function compareUnread(
  before: Configuration,
  after: Configuration,
  unread: readonly UnreadKey[],
): EffectiveDifference[] {
  const [old, next] = [before, after].map(
    (configuration) => new Map(configuration.map((document) => [labelOf(document), document])),
  );
  const differences = new Map<string, EffectiveDifference>();
  const writtenAt = (documents: typeof old, label: string, path: ValuePath) => {
    const value = valueAt(documents?.get(label)?.value, path);
    return isUnset(value) ? undefined : value;
  };
  for (const key of unread) {
    const document = old?.get(key.document) ?? next?.get(key.document);
    if (document === undefined || whyNotCompared(key) !== undefined) continue;
    for (const path of hiddenPaths(document.kind, key.at)) {
      const name = `asWritten.${key.document}.${formatPath(path)}`;
      const [one, other] = [writtenAt(old, key.document, path), writtenAt(next, key.document, path)];
      for (const difference of compareValues({ [name]: one }, { [name]: other }))
        differences.set(difference.path, difference);
    }
  }
  return [...differences.values()];
}
