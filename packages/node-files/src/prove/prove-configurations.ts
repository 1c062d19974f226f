import { faultFrom } from '@nodewright/fault';
import {
  type Configuration,
  type ConversionNote,
  compareEffective,
  compareValues,
  effectiveSettings,
  isNamedBy,
  recorded,
  type UnreadKey,
  unreadKeys,
} from '@nodewright/machine-config';
import { fileMakers } from '../render/node-files.ts';
import { type NodeSettings, nodeSettings } from '../render/node-settings.ts';
import type { RenderedFile } from '../render/rendered-file.ts';
import { unrenderedFiles } from '../render/sample-node.ts';
import { comparable } from './comparable.ts';
import { formCauses, settingOf } from './form-causes.ts';
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
  const effective = compareEffective(before, after);
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
  const { differences, equal } = compareFiles(old, next, { raw, settings });
  return {
    differences: [...settings, ...differences, ...refusals(old, next)],
    unproven: [...unreadOf(before, after), ...unrenderedOf(old.settings)],
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

interface Known {
  /** Paths of `NodeSettings` that are different. */
  readonly raw: readonly string[];
  readonly settings: readonly ProofDifference[];
}

function compareFiles(old: Rendered, next: Rendered, known: Known) {
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
    const reads = new Set([...(one?.reads ?? []), ...(other?.reads ?? [])]);
    differences.push({
      of: 'file',
      name,
      kind,
      ...(kind === 'changed' && { keys: keys.length > 0 ? limited(keys) : ['the order of its keys'] }),
      ...causeOf(reads, known),
      ...(rule !== undefined && { rule }),
    });
  }
  return { differences, equal };
}

const limited = (keys: readonly string[]) =>
  keys.length <= maxKeys ? keys : [...keys.slice(0, maxKeys), `${keys.length - maxKeys} more`];

/** The settings that a file was made of and that are different are its cause. The worst of them counts. */
function causeOf(
  reads: ReadonlySet<string>,
  { raw, settings }: Known,
): Pick<ProofDifference, 'cause' | 'text'> {
  const paths = raw.filter((path) => isRead(reads, path));
  const effective = settings.filter(({ name }) => paths.some((path) => overlaps(settingOf(path), name)));
  const bad = effective.find(({ cause }) => cause === 'unnamed');
  if (bad !== undefined) return { cause: 'unnamed', text: `the setting ${bad.name} is different` };
  const [named] = effective;
  const forms = paths.map((path) => ({
    path,
    text: formCauses.find(({ setting }) => setting.test(path))?.text,
    isEffective: effective.some(({ name }) => overlaps(settingOf(path), name)),
  }));
  const unknown = forms.find(({ text, isEffective }) => text === undefined && !isEffective);
  if (unknown !== undefined) return { cause: 'unnamed', text: `the setting ${unknown.path} is different` };
  // Where a rule of upstream's nodes makes the difference, the values themselves may be the same.
  const around = settings.find(({ name, cause }) => cause === 'unnamed' && isRead(reads, areaOf(name)));
  if (around !== undefined) return { cause: 'unnamed', text: `the setting ${around.name} is different` };
  if (named !== undefined)
    return { cause: 'named', text: `the setting ${named.name} is different: ${named.text}` };
  const texts = [...new Set(forms.flatMap(({ text }) => text ?? []))];
  if (texts.length === 0) return { cause: 'unnamed', text: 'nothing says why' };
  return { cause: 'form', text: texts.join('; ') };
}

/** Paths as `recorded()` writes them: each key behind a slash. */
function isRead(reads: ReadonlySet<string>, path: string): boolean {
  const slashed = `/${path
    .replaceAll('/', '//')
    .replace(/\[(\d+)\]/g, '/$1')
    .replaceAll('.', '/')}`;
  if (reads.has(slashed)) return true;
  // Keys of mappings may have dots, which stand for no level.
  const plain = slashed.replaceAll('/', '.');
  return [...reads].some((read) => {
    const flat = read.replaceAll('/', '.');
    return flat === plain || flat.startsWith(`${plain}.`);
  });
}

/** The group of settings that a setting is in, such as `controlPlane.authorizers`. */
function areaOf(name: string): string {
  const [first = '', second] = name.split(/[.[]/);
  const isGroup = ['cluster', 'controlPlane', 'kubelet', 'manifests', 'node', 'registries'].includes(first);
  return isGroup && second !== undefined ? `${first}.${second}` : first;
}

const overlaps = (one: string, other: string) =>
  one === other || isNamedBy({ effective: one }, other) || isNamedBy({ effective: other }, one);

/** A configuration of which a node cannot make a file. */
function refusals(old: Rendered, next: Rendered): ProofDifference[] {
  return [...new Set([...old.refused.keys(), ...next.refused.keys()])].flatMap((name) => {
    const [one, other] = [old.refused.get(name), next.refused.get(name)];
    if (one === other) return [];
    const kind = one === undefined ? 'removed' : other === undefined ? 'added' : 'changed';
    return [{ of: 'file', name, kind, cause: 'unnamed', text: `a node refuses to make it: ${other ?? one}` }];
  });
}

function unreadOf(before: Configuration, after: Configuration): Unproven[] {
  const unread = [before, after].flatMap((configuration) => unreadKeys(configuration, readEverything));
  const byName = new Map<string, Unproven>();
  for (const key of unread) {
    const name = nameOf(key);
    if (byName.has(name)) continue;
    const why = 'no setting and no rendered file reads it; it is only compared as it is written';
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
