import { faultFrom } from '@nodewright/fault';
import {
  type Configuration,
  type ConversionNote,
  compareEffective,
  compareUnread,
  compareValues,
  type EffectiveDifference,
  effectiveSettings,
  isNamedBy,
  recorded,
  type UnreadKey,
  unreadKeys,
  whyNotCompared,
} from '@nodewright/machine-config';
import { fileMakers } from '../render/node-files.ts';
import { type NodeSettings, nodeSettings } from '../render/node-settings.ts';
import type { RenderedFile } from '../render/rendered-file.ts';
import { unrenderedFiles } from '../render/sample-node.ts';
import { comparable } from './comparable.ts';
import { type Cause, createFindCause, type FindCause } from './find-cause.ts';
import type { Proof, ProofDifference, Unproven } from './proof.ts';

/** More differing keys of a file are counted, not named. */
const maxKeys = 12;

/** Effective settings to which nodes of this project add a default in both forms, and upstream's only in the old one. */
const upstreamSettings =
  /^(?:controlPlane\.(?:authentication|authorizers|auditPolicy)|identity\.encryption)\b/;
const upstreamRule =
  'compared with what nodes of upstream do: they add the default in the old form only, nodes of this project in both';

/** A file, and the settings that it was made of. */
interface Made {
  readonly file: RenderedFile;
  readonly reads: ReadonlySet<string>;
}

interface Rendered {
  readonly settings: NodeSettings;
  readonly files: ReadonlyMap<string, Made>;
  /** Makers that refused the configuration, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Compares what nodes make of two configurations: each effective setting, and each file that follows from the configuration alone, byte by
 * byte. Where nodes of upstream do something else than those of this project, it compares what upstream's do.
 *
 * @param notes what a conversion has said about the second one
 * @throws Fault `invalid-argument` for a certificate or key that is not PEM
 */
export function proveConfigurations(
  before: Configuration,
  after: Configuration,
  notes: readonly ConversionNote[] = [],
): Proof {
  const [old, next] = [render(nodeSettings(before)), render(nodeSettings(after))];
  const unread = [before, after].flatMap((configuration) => unreadKeys(configuration, readEverything));
  const effective = withUnread(compareEffective(before, after), compareUnread(before, after, unread));
  const settings = effective.map(({ path, kind }): ProofDifference => {
    const note = notes.find((each) => isNamedBy(each, path));
    return {
      of: 'setting',
      name: path.replace(/^asWritten\./, ''),
      kind,
      ...(note === undefined
        ? { cause: 'unnamed' as const, text: 'nothing says why' }
        : { cause: 'named' as const, text: note.text }),
      ...(upstreamSettings.test(path) && { rule: upstreamRule }),
    };
  });
  const raw = compareValues(old.settings, next.settings).map(({ path }) => path);
  const { differences, equal } = compareFiles(old, next, createFindCause(raw, settings));
  const { refused, unknown } = compareRefusals(old, next);
  return {
    differences: [...settings, ...differences, ...refused],
    unproven: [...unknown, ...unreadOf(unread), ...unrenderedOf(old.settings)],
    equalFiles: equal,
  };
}

function render(settings: NodeSettings): Rendered {
  const files = new Map<string, Made>();
  const refused = new Map<string, string>();
  for (const { name, make } of fileMakers) {
    const reads = new Set<string>();
    try {
      for (const file of make(recorded(settings, '', reads))) files.set(file.name, { file, reads });
    } catch (error) {
      refused.set(name, faultFrom(error).message);
    }
  }
  return { settings, files, refused };
}

function compareFiles(old: Rendered, next: Rendered, findCause: FindCause) {
  const causes = new Map<ReadonlySet<string> | undefined, Cause>();
  const equal: string[] = [];
  const differences: ProofDifference[] = [];
  for (const name of new Set([...old.files.keys(), ...next.files.keys()])) {
    const [one, other] = [old.files.get(name), next.files.get(name)];
    if (one?.file.text === other?.file.text) {
      equal.push(name);
      continue;
    }
    const kind = one === undefined ? 'added' : other === undefined ? 'removed' : 'changed';
    const places =
      kind === 'changed' ? compareValues(comparable(one?.file.value()), comparable(other?.file.value())) : [];
    const keys = places.map((place) => `${place.path} ${place.kind}`);
    const rule = other?.file.rule ?? one?.file.rule;
    // Files of one maker were made of the same settings.
    const key = other?.reads ?? one?.reads;
    const cause = causes.get(key) ?? findCause(new Set([...(one?.reads ?? []), ...(other?.reads ?? [])]));
    causes.set(key, cause);
    differences.push({
      of: 'file',
      name,
      kind,
      ...(kind === 'changed' && { keys: keys.length > 0 ? limited(keys) : ['the order of its keys'] }),
      ...cause,
      ...(rule !== undefined && { rule }),
    });
  }
  return { differences, equal };
}

const limited = (keys: readonly string[]) =>
  keys.length <= maxKeys ? keys : [...keys.slice(0, maxKeys), `${keys.length - maxKeys} more`];

/** Files that a node cannot make of one configuration are different; those that it cannot make of both, for the same reason, are unknown. */
function compareRefusals(old: Rendered, next: Rendered) {
  const refused: ProofDifference[] = [];
  const unknown: Unproven[] = [];
  for (const name of new Set([...old.refused.keys(), ...next.refused.keys()])) {
    const [one, other] = [old.refused.get(name), next.refused.get(name)];
    const text = `a node refuses to make it: ${other ?? one}`;
    const kind = one === undefined ? 'removed' : other === undefined ? 'added' : 'changed';
    if (one === other) unknown.push({ name, why: text });
    else refused.push({ of: 'file', name, kind, cause: 'unnamed', text });
  }
  return { refused, unknown };
}

/** On a worker, both comparisons have the sections of components of the control plane. */
function withUnread(effective: readonly EffectiveDifference[], unread: readonly EffectiveDifference[]) {
  const known = new Set(effective.map(({ path }) => path));
  return [...effective, ...unread.filter(({ path }) => !known.has(path))];
}

function unreadOf(unread: readonly UnreadKey[]): Unproven[] {
  const byName = new Map<string, Unproven>();
  for (const key of unread) {
    const name = nameOf(key);
    if (byName.has(name)) continue;
    const reason = whyNotCompared(key);
    const why =
      reason === undefined
        ? 'no setting and no rendered file reads it; it is only compared as it is written'
        : `not compared: ${reason}`;
    byName.set(name, { name, why, ...(key.position !== undefined && { position: key.position }) });
  }
  return [...byName.values()];
}

const nameOf = ({ document, path }: UnreadKey) => (document === 'v1alpha1' ? path : `${document}: ${path}`);

function readEverything(configuration: Configuration): void {
  JSON.stringify(effectiveSettings(configuration), (_key, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  render(nodeSettings(configuration));
}

function unrenderedOf({ machineType }: NodeSettings): Unproven[] {
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  return unrenderedFiles
    .filter(({ isOfControlPlane }) => isControlPlane || isOfControlPlane !== true)
    .map(({ name, why }) => ({ name, why }));
}
