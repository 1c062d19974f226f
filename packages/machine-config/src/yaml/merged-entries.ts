import { Fault } from '@nodewright/fault';
import { type ConfigNode, formatPosition, type MapNode, mergeKey } from './config-node.ts';

/**
 * Returns the entries of a mapping and of its merge key. Its own entries take precedence, then those of
 * earlier sources.
 *
 * Source: YAML 1.1: merge key.
 *
 * @throws Fault `invalid-argument` if the merge key does not refer to a mapping
 */
export function mergedEntries(node: MapNode): ReadonlyMap<string, ConfigNode> {
  if (!node.hasMergeKey) return node.entries;
  const merged = new Map(node.entries);
  const source = node.entries.get(mergeKey);
  merged.delete(mergeKey);
  for (const part of source?.kind === 'list' ? source.items : source ? [source] : []) {
    if (part.kind !== 'map') {
      throw new Fault(
        'invalid-argument',
        `decode error: ${formatPosition(part)}: a merge key needs a mapping or a list of mappings`,
      );
    }
    for (const [key, child] of mergedEntries(part)) if (!merged.has(key)) merged.set(key, child);
  }
  return merged;
}
