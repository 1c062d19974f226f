import type { ConfigDocument, Configuration } from '../config-document.ts';
import { isUnset, valueAt, withoutValue, withValue } from '../convert/value-path.ts';
import { composeConfiguration, labelOf } from '../decode/load-configuration.ts';
import { formatPath, type ValuePath } from '../effective/config-reader.ts';
import { legacyKind } from '../schema/document-schema.ts';
import type { SecretsBundle } from '../secrets/secrets-bundle.ts';
import { entriesOf, isYamlMap, mapFromEntries, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { documentRules, keptOfCluster, keptOfMachine, sectionRules } from './local-rules.ts';
import type { LocalReason } from './local-values.ts';

/** What a node of a local cluster has of its own. */
export interface LocalNode {
  readonly secrets: SecretsBundle;
  /** URL of the Kubernetes API of the local cluster. */
  readonly endpoint: string;
  /** Version of Kubernetes that the local cluster runs, without `v`. */
  readonly kubernetesVersion: string;
  /** The documents of the node: its name and its time servers. */
  readonly documents: Configuration;
  /**
   * A key for the encryption in etcd in place of one of the file, as base64 of 32 bytes. The same key gets the same one, and different keys
   * get different ones, so that a comparison of two configurations stays as it was.
   */
  readonly deriveKey: (key: string) => string;
}

/** A part of a configuration that a local cluster does not take from it. */
export interface LocalReplacement {
  /** The path of a section, or the label of a document with the path in it. */
  readonly key: string;
  readonly reason: LocalReason;
}

export interface LocalConfiguration {
  readonly configuration: Configuration;
  readonly replaced: readonly LocalReplacement[];
}

/**
 * The configuration of a control plane as a node of a local cluster of processes runs it. Addresses, endpoint, secrets and images are those
 * of that cluster, in both forms of a configuration. What would call other hosts, or what nodes of processes do not have, is left out. A key
 * that no rule knows is left out, too, so that nothing of the file reaches its own hosts.
 *
 * @throws Fault `invalid-argument` when the documents of the node conflict with those of the configuration
 */
export function localConfiguration(configuration: Configuration, local: LocalNode): LocalConfiguration {
  const replaced: LocalReplacement[] = [];
  const documents = configuration.flatMap((document): ConfigDocument[] => {
    if (local.documents.some(({ kind }) => kind === document.kind)) {
      replaced.push({ key: labelOf(document), reason: 'addresses' });
      return [];
    }
    const note = (path: ValuePath, reason: LocalReason) =>
      replaced.push({ key: keyOf(document, path), reason });
    const value =
      document.kind === legacyKind
        ? localSections(document.value, local, note)
        : localDocument(document, local, note);
    return value === undefined ? [] : [{ kind: document.kind, value }];
  });
  return { configuration: composeConfiguration([...documents, ...local.documents]), replaced };
}

type Note = (path: ValuePath, reason: LocalReason) => void;

function keyOf(document: ConfigDocument, path: ValuePath): string {
  if (document.kind === legacyKind) return formatPath(path);
  return path.length === 0 ? labelOf(document) : `${labelOf(document)}: ${formatPath(path)}`;
}

function localSections(value: YamlMap, local: LocalNode, note: Note): YamlMap {
  const kept = { machine: keptOfMachine, cluster: keptOfCluster } as const;
  const chosen = mapFromEntries(
    entriesOf(value).map(([name, section]): [string, YamlValue] => {
      if ((name !== 'machine' && name !== 'cluster') || !isYamlMap(section)) return [name, section];
      const left = entriesOf(section).filter(([key, child]) => {
        const reason = kept[name][key] ?? 'machine';
        if (reason === 'kept') return true;
        if (!isUnset(child)) note([name, key], reason);
        return false;
      });
      return [name, mapFromEntries(left)];
    }),
  );
  return applyRules(chosen, sectionRules, local, note);
}

function localDocument({ kind, value }: ConfigDocument, local: LocalNode, note: Note): YamlMap | undefined {
  const rules = documentRules[kind];
  if (rules === undefined || rules === 'kept') return rules === undefined ? noted(note, 'machine') : value;
  if (typeof rules === 'string') return noted(note, rules);
  const [whole] = rules.filter(({ at }) => at.length === 0);
  const changed = whole === undefined ? value : whole.change(value, local);
  if (whole !== undefined && changed !== value) note([], whole.reason);
  if (!isYamlMap(changed)) return undefined;
  return applyRules(
    changed,
    rules.filter(({ at }) => at.length > 0),
    local,
    note,
  );
}

function noted(note: Note, reason: LocalReason): undefined {
  note([], reason);
}

/** Changes one value. The same value means that it stays, and `undefined` that it is left out. */
export interface LocalRule {
  readonly at: ValuePath;
  readonly reason: LocalReason;
  readonly change: (value: YamlValue, local: LocalNode) => YamlValue | undefined;
}

function applyRules(value: YamlMap, rules: readonly LocalRule[], local: LocalNode, note: Note): YamlMap {
  return rules.reduce((root, { at, reason, change }) => {
    const old = valueAt(root, at);
    if (old === undefined || isUnset(old)) return root;
    const next = change(old, local);
    if (next === old) return root;
    note(at, reason);
    return next === undefined ? withoutValue(root, at) : withValue(root, at, next);
  }, value);
}
