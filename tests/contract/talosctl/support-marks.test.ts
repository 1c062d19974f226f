// talosctl support with a configuration that has a text of its own in every field: what the archive hides in the configuration
// must not be in any other file, wherever the node repeats it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { ProcessesResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { documentKinds, type FieldPath, fieldPaths, legacyKind } from '@nodewright/machine-config';
import { type JsonObject, type NewResource, pointerTo } from '@nodewright/state';
import {
  controllerManagerConfigs,
  environments,
  extraManifestsConfigs,
  machineConfigs,
  manifests,
  members,
  staticPods,
  yamlSpecAnnotation,
} from '@nodewright/state/kinds';
import { strFromU8, unzipSync } from 'fflate';
import { parseAllDocuments, stringify } from 'yaml';
import type { FakeCall } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

/** Where each text of the configuration is: `KubeInlineManifestConfig manifest data`. */
const places = new Map<string, string>();
const manifestTexts: string[] = [];

function mark(place: string): string {
  const text = `mark-${String(places.size).padStart(4, '0')}-5e7c`;
  places.set(text, place);
  return text;
}

/** Manifests as users have them. */
function manifestText(place: string): string {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'kube-system' } };
  const text = [
    { ...secret, stringData: { plain: mark(`${place} stringData`) } },
    { ...secret, data: { encoded: Buffer.from(mark(`${place} data`)).toString('base64') } },
    { ...secret, kind: 'ConfigMap', data: { 'a.conf': `first\nkey = ${mark(`${place} lines`)}\nlast\n` } },
    { ...secret, kind: 'Pod', spec: { containers: [{ env: [{ name: 'A', value: mark(`${place} env`) }] }] } },
  ];
  const yaml = text.map((object) => stringify(object)).join('---\n');
  manifestTexts.push(yaml);
  return yaml;
}

const fileText = (place: string) => `# a file\n[section]\n  value = "${mark(`${place} lines`)}"\n`;

/** A value with marks; undefined for what is no text. */
function markedValue(kind: string, { path, field: { type, name } }: FieldPath): unknown {
  const place = `${kind} ${path}`;
  switch (type) {
    case 'manifest':
      return manifestText(place);
    case 'str':
      if (name === 'manifest') return manifestText(place);
      return ['content', 'contents'].includes(name) ? fileText(place) : mark(place);
    case 'strs':
      return name === 'environment'
        ? [`A=${mark(place)}`, `A_TOKEN=${mark(`${place} token`)}`]
        : [mark(place), `A_TOKEN=${mark(`${place} token`)}`];
    case 'url':
      return `https://user:${mark(`${place} password`)}@a.example/?jointoken=${mark(`${place} jointoken`)}`;
    case 'map:str':
      return {
        plain: mark(place),
        A_TOKEN: mark(`${place} token`),
        https_proxy: `http://user:${mark(`${place} proxy`)}@proxy:3128`,
      };
    case 'args':
      return { plain: mark(place), 'a-token': mark(`${place} token`) };
    case 'free':
      return { plain: mark(place), resources: [{ secret: mark(`${place} secret`) }] };
    default:
      return undefined;
  }
}

type Draft = { [key: string]: unknown };

/** Puts a value at a path such as `machine.files[].content` or `machine.registries.config.*.auth`. */
function place(draft: Draft, [key = '', ...rest]: readonly string[], value: unknown): void {
  const name = key.replace('[]', '');
  if (rest.length === 0) {
    draft[name] = value;
    return;
  }
  if (key.endsWith('[]')) draft[name] ??= [{}];
  else draft[name] ??= {};
  const child = draft[name];
  place((Array.isArray(child) ? child[0] : child) as Draft, rest, value);
}

function markedDocument(kind: string): Draft {
  const draft: Draft = kind === legacyKind ? { version: 'v1alpha1' } : { apiVersion: 'v1alpha1', kind };
  for (const field of fieldPaths(kind)) {
    if (kind === legacyKind && field.path === 'version') continue;
    const value = markedValue(kind, field);
    if (value !== undefined) place(draft, field.path.split('.'), value);
  }
  return draft;
}

const kinds = [
  ...[controllerManagerConfigs, environments, extraManifestsConfigs, machineConfigs],
  ...[manifests, members, staticPods],
];
const configuration = documentKinds.map((kind) => stringify(markedDocument(kind))).join('---\n');
const marks = [...places.keys()];
const marksIn = (field: RegExp) => marks.filter((text) => field.test(places.get(text) ?? ''));
const objectsOf = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
const marksAs = (form: (mark: string) => string) =>
  Object.fromEntries(marks.map((text) => [text, form(text)]));

/** What a node makes of its configuration, and what it might repeat of it elsewhere. */
const resources: NewResource[] = [
  { ...pointerTo(machineConfigs, 'v1alpha1'), spec: configuration, annotations: yamlSpecAnnotation },
  {
    ...pointerTo(extraManifestsConfigs),
    spec: {
      extraManifests: [
        ...marksIn(/headers/i).map((text) => ({
          ...{ name: 'n', url: 'https://a.example', priority: '99', inlineManifest: '' },
          extraHeaders: { Authorization: text },
        })),
        ...manifestTexts.map((inlineManifest) => ({
          ...{ name: 'n', url: '', priority: '99', extraHeaders: {}, inlineManifest },
        })),
      ],
    },
  },
  ...manifestTexts.map((text, at) => ({
    ...pointerTo(manifests, `99-${at}`),
    spec: objectsOf(text).map((object) => ({ object })),
  })),
  { ...pointerTo(environments, 'machined'), spec: { variables: marks.map((text) => `A=${text}`) } },
  {
    ...pointerTo(staticPods, 'pod'),
    spec: { pod: { spec: { containers: marks.map((text) => ({ args: [`--a=${text}`] })) } } },
  },
  {
    ...pointerTo(controllerManagerConfigs, 'kube-controller-manager'),
    spec: {
      ...{ enabled: true, image: 'i', cloudProvider: '', podCIDRs: [], serviceCIDRs: [], extraVolumes: [] },
      ...{ extraArgs: {}, args: [], resources: { requests: {}, limits: {} } },
      ...{ nodeCIDRMaskSizeIPv4: 0, nodeCIDRMaskSizeIPv6: 0 },
      environmentVariables: marksAs((text) => Buffer.from(text).toString('base64')),
    },
  },
  {
    ...pointerTo(members, 'node01'),
    labels: Object.fromEntries(marks.map((text, at) => [`label-${at}`, text])),
    spec: {
      ...{ nodeId: '12', addresses: ['10.0.0.1'], hostname: 'node01', machineType: 'worker' as const },
      ...{ operatingSystem: marks.join(' and '), controlPlane: { port: 6443 } },
    },
  },
];
const store = await openNodeStore(kinds, resources);

const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers(kinds, () => store),
  '/machine.MachineService/Logs': repeatMarks,
  '/machine.MachineService/Dmesg': repeatMarks,
  '/machine.MachineService/Processes': (call) =>
    reply(call, ProcessesResponse, {
      messages: [
        {
          processes: marks.map((text, pid) => ({
            pid: pid + 1,
            args: `sh --b ${text}`,
            command: 'sh',
            executable: '/bin/sh',
          })),
        },
      ],
    }),
});

function repeatMarks(call: FakeCall): void {
  const text = marks.map((each) => `using ${each} now\n`).join('');
  call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(text) })).finish());
  call.end();
}

/** The messages in the lines of a file that `talosctl replay` reads, decoded from base64. */
function decoded(name: string, text: string): string {
  if (!name.endsWith('.jsonl')) return '';
  const words = [...text.matchAll(/"(?:response|request|proto|value)": ?"([A-Za-z0-9+/=]+)"/g)];
  return words.map(([, word = '']) => Buffer.from(word, 'base64').toString('latin1')).join('\n');
}

/** Fields that must be among the hidden ones, so that a field that is shown everywhere does not pass. */
const certainlyHidden = [
  ...[
    'cluster.extraManifestHeaders',
    'cluster.inlineManifests[].contents stringData',
    'machine.files[].content lines',
  ],
  ...['cluster.inlineManifests[].contents data', 'cluster.inlineManifests[].contents env', 'cluster.token'],
  ...['machine.registries.config.*.auth.password', 'machine.network.interfaces[].wireguard.privateKey'],
  ...[
    'machine.env',
    'cluster.apiServer.env',
    'machine.env proxy',
    'machine.env token',
    'cluster.ca.key',
    'cluster.aescbcEncryptionSecret',
  ],
].map((path) => `v1alpha1 ${path}`);
const certainlyHiddenDocuments = [
  ...['KubeExternalManifestConfig headers', 'KubeInlineManifestConfig manifest stringData'],
  ...['KubeInlineManifestConfig manifest lines', 'KubeEtcdEncryptionConfig config secret'],
  ...['WireguardConfig privateKey', 'WireguardConfig peers[].presharedKey', 'RegistryAuthConfig password'],
  ...['ExtensionServiceConfig configFiles[].content lines', 'ExtensionServiceConfig environment token'],
  ...[
    'SideroLinkConfig apiUrl jointoken',
    'EtcFileConfig contents lines',
    'CRICustomizationConfig content lines',
  ],
  ...['ExtensionServiceConfig environment', 'KubeAPIServerConfig env', 'ContainerConfig environment'],
  ...['VolumeConfig encryption.keys[].static.passphrase', 'HCloudVIPConfig apiToken'],
];

test('support hides in every file what it hides in the configuration', async () => {
  const cwd = mkdtempSync(join(suite.cluster.folder, 'run-'));
  const { exitCode, stderr } = await suite.talosctl.run(['support', '-O', 'a.zip', '-n', 'node01'], {
    cwd,
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  assert.equal(exitCode, 0, stderr);
  const files = Object.entries(unzipSync(readFileSync(join(cwd, 'a.zip')))).map(
    ([name, bytes]) => [name, strFromU8(bytes)] as const,
  );
  const shown = files.find(([name]) => name === 'node01/machine-configuration.yaml')?.[1] ?? '';
  assert.match(shown, /kind: KubeInlineManifestConfig/);
  const hidden = marks.filter((text) => !shown.includes(text));
  const hiddenPlaces = new Set(hidden.map((text) => places.get(text)));
  assert.deepEqual(
    [...certainlyHidden, ...certainlyHiddenDocuments].filter((field) => !hiddenPlaces.has(field)),
    [],
  );
  // Each file repeats them, and shows the others.
  for (const name of ['dmesg.log', 'processes', 'resources/members.cluster.talos.dev.yaml'])
    assert.match(files.find(([path]) => path === `node01/${name}`)?.[1] ?? '', /mark-\d{4}-5e7c/);
  const leaks = files.flatMap(([name, text]) =>
    hidden
      .filter((each) =>
        [each, Buffer.from(each).toString('base64').replace(/=+$/, '')].some(
          (form) => text.includes(form) || decoded(name, text).includes(form),
        ),
      )
      .map((each) => `${name}: ${places.get(each)}`),
  );
  assert.deepEqual(leaks, []);
  const manifestFile =
    files.find(([name]) => name.endsWith('/manifests.kubernetes.talos.dev.yaml'))?.[1] ?? '';
  assert.match(manifestFile, /kind: Secret\n.*name: a\n/s);
});
