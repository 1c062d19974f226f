import { type ConfigNode, isNullNode, type MapNode } from './config-node.ts';
import { mergedEntries } from './merged-entries.ts';
import { looksLikeAnotherType } from './scalar-style.ts';
import { mapFromEntries, PlainScalar, type YamlMap, type YamlValue } from './yaml-value.ts';

/**
 * Converts a document to a tree that keeps the notation of every value. An unquoted scalar that may not be a
 * string stays unquoted, because only the schema knows its type. Merge keys are resolved.
 */
export function sourceTree(root: MapNode): YamlMap {
  return mapFromEntries([...mergedEntries(root)].map(([key, child]) => [key, treeValue(child)]));
}

function treeValue(node: ConfigNode): YamlValue {
  if (node.kind === 'list') return node.items.map(treeValue);
  if (node.kind === 'map') return sourceTree(node);
  if (isNullNode(node)) return null;
  const { text, plain } = node;
  return plain && looksLikeAnotherType(text) && !text.includes('\n') ? new PlainScalar(text) : text;
}
