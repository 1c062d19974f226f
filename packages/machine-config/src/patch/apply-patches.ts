import { Fault } from '@nodewright/fault';
import { arrangeDocument } from '../arrange-document.ts';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { composeConfiguration, loadConfiguration, nameOfDocument } from '../decode/load-configuration.ts';
import { documentSchema, legacyKind } from '../schema/document-schema.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { sourceTree } from '../yaml/source-tree.ts';
import { isYamlMap, type YamlMap } from '../yaml/yaml-value.ts';
import { deleteInside } from './delete-directive.ts';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import { mergeFields } from './merge-document.ts';
import type { ConfigPatch, PatchDocument } from './parse-patch.ts';

/**
 * Applies patches in order. A strategic patch first applies its deletions. Then each of its documents is
 * merged into the document with the same kind and name, or appended.
 *
 * @throws Fault `invalid-argument` or `not-found` if a patch cannot be applied
 *
 * Source: Talos v1.14: machine configuration, patches.
 */
export function applyPatches(configuration: Configuration, patches: readonly ConfigPatch[]): Configuration {
  return patches.reduce<Configuration>(
    (patched, patch) =>
      patch.kind === 'json' ? applyJson(patched, patch.operations) : applyStrategic(patched, patch.documents),
    configuration,
  );
}

function applyStrategic(configuration: Configuration, patches: readonly PatchDocument[]): Configuration {
  let documents: readonly ConfigDocument[] = configuration;
  for (const patch of patches) documents = deleteFrom(documents, patch);
  for (const { kind, name, merge } of patches) {
    if (merge) documents = mergeInto(documents, kind, name, merge);
  }
  return composeConfiguration(documents);
}

function isTarget(document: ConfigDocument, kind: string, name: string): boolean {
  return document.kind === kind && nameOfDocument(document) === name;
}

function deleteFrom(documents: readonly ConfigDocument[], patch: PatchDocument): readonly ConfigDocument[] {
  const { kind, name, directives } = patch;
  if (directives.some((directive) => directive.kind === 'delete-document')) {
    if (kind === legacyKind) throw new Fault('invalid-argument', 'the v1alpha1 document cannot be deleted');
    return documents.filter((document) => !isTarget(document, kind, name));
  }
  return documents.map((document) =>
    isTarget(document, kind, name) ? deleteInside(document, directives) : document,
  );
}

function mergeInto(
  documents: readonly ConfigDocument[],
  kind: string,
  name: string,
  merge: ConfigDocument,
): readonly ConfigDocument[] {
  const fields = documentSchema(kind)?.fields;
  const at = documents.findIndex((document) => isTarget(document, kind, name));
  const found = documents[at];
  if (!found || !fields) return [...documents, merge];
  return documents.with(at, { kind, value: mergeFields(found.value, merge.value, fields) });
}

/**
 * Applies a JSON patch to the YAML tree as written, not to decoded values, so that nothing else changes. The
 * result is decoded again with all checks.
 */
function applyJson(configuration: Configuration, operations: readonly JsonPatchOperation[]): Configuration {
  const [only, ...others] = configuration;
  if (!only || others.length > 0) {
    throw new Fault(
      'invalid-argument',
      'JSON6902 patches are not supported for multi-document machine configuration',
    );
  }
  const tree = applyJsonPatch(treeOf(only), operations);
  const documents = loadConfiguration(encodeYaml(tree, { style: 'json' }));
  return documents.map((document) => (isYamlMap(tree) ? { ...document, tree } : document));
}

function treeOf(document: ConfigDocument): YamlMap {
  const { tree, origin } = document;
  return tree ?? (origin ? sourceTree(origin.root) : arrangeDocument(document, 'natural'));
}
