// What promises protection and is not done. It is no part of the inert table, because each node needs it at its start.
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { isYamlList, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { labelOfDocument } from './document-label.ts';

/** A field that promises protection. */
export interface Protection {
  readonly kind: string;
  /** Dotted path; empty means the whole document. */
  readonly path: string;
  /** Only this value promises anything; any when missing. */
  readonly value?: string;
  /** Whether such a document promises anything; any does when missing. */
  readonly isPromisedBy?: (document: YamlMap) => boolean;
  /** `gen config` writes it, so nodes warn about it: refusing it would refuse every new node. */
  readonly isPlain?: true;
}

/**
 * Protections that no node provides. A row goes when nodes begin to: the house test compares these rows with the inert
 * table.
 */
export const protections: readonly Protection[] = [
  { kind: 'v1alpha1', path: 'machine.systemDiskEncryption' },
  { kind: 'VolumeConfig', path: 'encryption' },
  { kind: 'UserVolumeConfig', path: 'encryption' },
  { kind: 'RawVolumeConfig', path: 'encryption' },
  { kind: 'SwapVolumeConfig', path: 'encryption' },
  { kind: 'NetworkDefaultActionConfig', path: 'ingress', value: 'block' },
  { kind: 'NetworkRuleConfig', path: '' },
  { kind: 'ImageVerificationConfig', path: '', isPromisedBy: limitsImages },
  { kind: 'SecurityProfileConfig', path: '', isPlain: true },
];

/**
 * The protections that a configuration promises and no node provides, as `NetworkRuleConfig "a"`, in its order: names,
 * never values. Without those that `gen config` writes.
 */
export function unkeptProtections(configuration: Configuration): string[] {
  return configuration.flatMap((document) =>
    unkeptPaths(document).map((path) => `${labelOfDocument(document)}${path === '' ? '' : ` ${path}`}`),
  );
}

/** The paths of these protections in a document. */
export function unkeptPaths(document: ConfigDocument): string[] {
  return protections
    .filter(({ kind, isPlain }) => kind === document.kind && isPlain !== true)
    .filter(({ isPromisedBy }) => isPromisedBy?.(document.value) ?? true)
    .filter(({ path, value }) => path === '' || isPromised(valueAt(document.value, path), value))
    .map(({ path }) => path);
}

/** Whether a rule denies images or demands a signature. Rules that skip images promise nothing. */
function limitsImages({ rules }: YamlMap): boolean {
  if (!isYamlList(rules)) return false;
  return rules.some(
    (rule) =>
      isYamlMap(rule) && (rule.deny === true || rule.keyless !== undefined || rule.publicKey !== undefined),
  );
}

function valueAt(value: YamlValue | undefined, path: string): YamlValue | undefined {
  return path
    .split('.')
    .reduce<YamlValue | undefined>(
      (inner, part) => (isYamlMap(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined),
      value,
    );
}

function isPromised(value: YamlValue | undefined, wanted: string | undefined): boolean {
  if (wanted !== undefined) return value === wanted;
  if (value === undefined || value === null) return false;
  return !isYamlMap(value) || Object.keys(value).length > 0;
}
