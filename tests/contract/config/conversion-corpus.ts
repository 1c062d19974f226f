// Configurations of both forms for tests of conversions: what the generator writes for every contract, every key of the reference at least
// once, and forms of text that people write.
import { faultFrom } from '@nodewright/fault';
import {
  applyPatches,
  type Configuration,
  documentKinds,
  encodeConfiguration,
  fieldPaths,
  generateConfig,
  legacyKind,
  loadConfiguration,
  parsePatch,
  validateConfiguration,
} from '@nodewright/machine-config';
import { realSecrets } from '../../../packages/machine-config/src/convert/arbitrary-configuration.ts';
import {
  fieldsBeside,
  refusedExamples,
} from '../../../packages/machine-config/src/docs/reference/testing/sample-choices.ts';
import {
  assembleDocument,
  withRealKeys,
} from '../../../packages/machine-config/src/docs/reference/testing/sample-documents.ts';
import { minors, sampleInput, types } from '../../../packages/machine-config/src/generate/sample-input.ts';
import { base64FromPem } from '../../../packages/machine-config/src/secrets/encode-secrets.ts';
import { encodeYaml } from '../../../packages/machine-config/src/yaml/encode-yaml.ts';

/** A configuration that is valid. */
export interface CorpusEntry {
  readonly name: string;
  readonly text: string;
  /** The form that it is written in. */
  readonly form: 'sections' | 'documents';
}

type Type = (typeof types)[number];

/** A configuration of the generator with real keys, and with patches. */
export function generated(minor: number, type: Type = 'controlplane', ...patches: string[]): string {
  const text = generateConfig({ ...sampleInput(type, {}, minor), secrets: realSecrets });
  if (patches.length === 0) return text;
  return encodeConfiguration(applyPatches(loadConfiguration(text), patches.map(parsePatch)));
}

const formOf = (minor: number) => (minor >= 14 ? 'documents' : 'sections');

function generatedEntries(): CorpusEntry[] {
  const plain = minors.flatMap((minor) =>
    types.map((type) => ({
      name: `generated for 1.${minor}, ${type}`,
      text: generated(minor, type),
      form: formOf(minor),
    })),
  );
  const options = {
    kubeSpan: true,
    registryMirrors: { 'docker.io': ['https://m.test', 'https://n.test'], 'ghcr.io': ['https://g.test'] },
    sysctls: { 'net.ipv4.ip_forward': '1' },
  };
  const rich = [6, 10, 13, 15].flatMap((minor) =>
    types.map((type) => ({
      name: `generated for 1.${minor}, ${type}, with KubeSpan, mirrors and sysctls`,
      text: generateConfig({ ...sampleInput(type, options, minor), secrets: realSecrets }),
      form: formOf(minor),
    })),
  );
  return [...plain, ...rich] as CorpusEntry[];
}

const isValid = (configuration: Configuration) =>
  validateConfiguration(configuration, { mode: 'cloud', local: true, isInstalled: true }).errors.length === 0;

/** Keys in one entry, so that one that fails is found quickly. */
const keysPerEntry = 45;

interface Key {
  readonly kind: string;
  readonly path: string;
}

/** Keys that no entry has, with the reason. */
const withoutEntry = (kind: string, path: string) => refusedExamples[kind]?.includes(path) === true;

/** Puts each key of the kinds into one of a few configurations that are valid. */
async function everyKey(
  kinds: readonly string[],
  init: { readonly base: string; readonly label: string; readonly form: CorpusEntry['form'] },
): Promise<{ readonly entries: readonly CorpusEntry[]; readonly left: readonly string[] }> {
  const base = loadConfiguration(init.base);
  let open: Key[] = kinds.flatMap((kind) =>
    fieldPaths(kind)
      .filter(({ path, field }) => !['obj', 'list', 'map'].includes(field.type) && !withoutEntry(kind, path))
      .map(({ path }) => ({ kind, path })),
  );
  const entries: CorpusEntry[] = [];
  const left: string[] = [];
  while (open.length > 0) {
    const [taken, text] = await fill(base, open.slice(0, keysPerEntry));
    // A key that is refused by itself stays out; the others get another chance with fewer neighbours.
    if (taken.size === 0) left.push(...open.slice(0, 1).map(({ kind, path }) => `${kind} ${path}`));
    else entries.push({ name: `${init.label} ${entries.length + 1}`, text, form: init.form });
    open = open.filter((key, at) => !(taken.has(key) || (taken.size === 0 && at === 0)));
  }
  return { entries, left };
}

/** As many of the keys as are valid together, and the text with them. */
async function fill(base: Configuration, keys: readonly Key[]): Promise<[ReadonlySet<Key>, string]> {
  const taken = new Set<Key>();
  let text = '';
  const add = async (some: readonly Key[]): Promise<void> => {
    if (some.length === 0) return;
    const tried = await textWith(base, [...taken, ...some]);
    if (tried !== undefined) {
      for (const key of some) taken.add(key);
      text = tried;
    } else if (some.length > 1) {
      const half = Math.ceil(some.length / 2);
      await add(some.slice(0, half));
      await add(some.slice(half));
    }
  };
  await add(keys);
  return [taken, text];
}

/** The configuration with the examples of the keys; undefined when it would not be valid. */
async function textWith(base: Configuration, keys: readonly Key[]): Promise<string | undefined> {
  const kinds = [...new Set(keys.map(({ kind }) => kind))];
  try {
    const samples: string[] = [];
    for (const kind of kinds) {
      const chosen = keys.filter((key) => key.kind === kind).flatMap(({ path }) => fieldsBeside(kind, path));
      samples.push(encodeYaml(await withRealKeys(assembleDocument(kind, [...new Set(chosen)]))));
    }
    // A patch adds to the legacy document, and replaces a document that the generator writes.
    const others = base.filter(({ kind }) => kind === legacyKind || !kinds.includes(kind));
    const patches = samples.map((sample) => parsePatch(sample));
    const text = encodeConfiguration(applyPatches(others, patches));
    return isValid(loadConfiguration(text)) ? text : undefined;
  } catch (error) {
    if (faultFrom(error).kind !== 'invalid-argument') throw error;
    return undefined;
  }
}

const head = (minor: number, type: Type) => generated(minor, type);

/** A worker of the old form with a body below `machine` and one below `cluster`. */
const written = (machine: string, cluster = '') => `version: v1alpha1
machine:
  type: worker
  token: ${realSecrets.trustd.token}
  ca: { crt: ${base64FromPem(realSecrets.certs.os.certificate)} }
${machine}cluster:
  controlPlane: { endpoint: https://10.5.0.1:6443 }
${cluster}`;

/** Texts as people write them, and settings that conversions have got wrong before. */
const odd: readonly CorpusEntry[] = [
  { name: 'anchors and aliases', text: written('  sysctls: &s { net.a: "1" }\n  sysfs: *s\n') },
  { name: 'lines that end with CR LF', text: head(13, 'worker').replaceAll('\n', '\r\n') },
  { name: 'a byte order mark', text: `\uFEFF${head(13, 'worker')}` },
  { name: 'quoted keys in one line', text: written('  "sysctls": {"net.b": \'0\'}\n') },
  { name: 'empty documents between comments', text: `# first\n---\n${head(12, 'worker')}---\n# last\n` },
  { name: 'empty sections', text: written('  kubelet: {}\n  network: {}\n  time: {}\n', '  network: {}\n') },
  { name: 'the old type init', text: head(6, 'controlplane').replace('type: controlplane', 'type: init') },
  {
    name: 'interfaces, which stay',
    text: written('  network: { interfaces: [{ interface: eth0, dhcp: true }] }\n'),
  },
  {
    name: 'disks, which stay',
    text: written('  disks: [{ device: /dev/sdb, partitions: [{ mountpoint: /var/mnt/x }] }]\n'),
  },
  {
    name: 'a webhook of the API server',
    text: generated(
      13,
      'controlplane',
      'cluster: { apiServer: { authorizationConfig: [{ type: Webhook, name: hook, webhook: { timeout: 3s } }] } }',
    ),
  },
  {
    name: 'flags that have no counterpart',
    text: generated(
      13,
      'controlplane',
      'cluster: { apiServer: { extraArgs: { oidc-issuer-url: https://i.test } } }',
    ),
  },
  {
    name: 'lists in flags',
    text: generated(13, 'controlplane', 'cluster: { scheduler: { extraArgs: { v: ["1", "2"] } } }'),
  },
  {
    name: 'another network plug-in',
    text: generated(
      13,
      'controlplane',
      'cluster: { network: { cni: { name: custom, urls: [https://c.test/a.yaml] } } }',
    ),
  },
  {
    name: 'two families of addresses',
    text: generated(
      13,
      'controlplane',
      'cluster: { network: { podSubnets: [10.42.0.0/16, "fd00:42::/56"], serviceSubnets: [10.43.0.0/16, "fd00:43::/112"] } }',
    ),
  },
  {
    name: 'kube-proxy with flags',
    text: generated(13, 'controlplane', 'cluster: { proxy: { extraArgs: { conntrack-max-per-core: "1" } } }'),
  },
].map((entry) => ({ ...entry, form: 'sections' as const }));

/** Every entry; the keys in `left` are in none, because their examples are refused beside a whole configuration. */
export async function conversionCorpus() {
  const sections = await everyKey([legacyKind], {
    ...{ base: generated(11), label: 'keys of the sections', form: 'sections' },
  });
  const documents = await everyKey(
    documentKinds.filter((kind) => kind !== legacyKind),
    { base: generated(15), label: 'keys of documents', form: 'documents' },
  );
  const entries = [...generatedEntries(), ...sections.entries, ...documents.entries, ...odd];
  return { entries, left: [...sections.left, ...documents.left] };
}
