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
 * Applies the patches in their order. A strategic patch first deletes, then merges each of its documents into the one
 * with the same kind and name, or appends it. Throws `invalid-argument` and `not-found` for what cannot be applied.
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

function isMeant(document: ConfigDocument, kind: string, name: string): boolean {
  return document.kind === kind && nameOfDocument(document) === name;
}

function deleteFrom(documents: readonly ConfigDocument[], patch: PatchDocument): readonly ConfigDocument[] {
  const { kind, name, directives } = patch;
  if (directives.some((directive) => directive.kind === 'delete-document')) {
    if (kind === legacyKind) throw new Fault('invalid-argument', 'the v1alpha1 document cannot be deleted');
    return documents.filter((document) => !isMeant(document, kind, name));
  }
  return documents.map((document) =>
    isMeant(document, kind, name) ? deleteInside(document, directives) : document,
  );
}

function mergeInto(
  documents: readonly ConfigDocument[],
  kind: string,
  name: string,
  merge: ConfigDocument,
): readonly ConfigDocument[] {
  const fields = documentSchema(kind)?.fields;
  const at = documents.findIndex((document) => isMeant(document, kind, name));
  const found = documents[at];
  if (!found || !fields) return [...documents, merge];
  return documents.with(at, { kind, value: mergeFields(found.value, merge.value, fields) });
}

/**
 * A JSON patch changes the tree that was written, not what the fields mean: nothing is added beside what it names. The
 * result is read again with all the checks of a loaded configuration.
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
