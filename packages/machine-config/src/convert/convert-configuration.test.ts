import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { minors, sampleInput, types } from '../generate/sample-input.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { base64FromPem } from '../secrets/encode-secrets.ts';
import { realSecrets } from './arbitrary-configuration.ts';
import { compareEffective, unexplained } from './compare-effective.ts';
import { formatNote } from './conversion.ts';
import {
  convertConfigurationText,
  convertPatchText,
  parseConversionTarget,
} from './convert-configuration.ts';
import { readAgain } from './read-again.ts';

/** Converts and checks that nothing changes for a node that no note names. */
function converted(text: string) {
  const result = convertConfigurationText(text);
  const differences = compareEffective(loadConfiguration(text), loadConfiguration(result.text));
  assert.deepEqual(unexplained(differences, result.notes), []);
  return { ...result, lines: result.notes.map(formatNote), kinds: result.after.map(({ kind }) => kind) };
}

test('convertConfigurationText() keeps what a node does, for every contract', () => {
  for (const minor of minors)
    for (const type of types) {
      const input = sampleInput(
        type,
        { kubeSpan: true, registryMirrors: { 'docker.io': ['https://m.test'] }, sysctls: { a: '1' } },
        minor,
      );
      const { after } = converted(generateConfig({ ...input, secrets: realSecrets }));
      assert.ok(after.length > (type === 'worker' ? 6 : 18), `1.${minor} ${type}: ${after.length}`);
    }
});

test('convertConfigurationText() leaves a configuration of documents as it is, byte by byte', () => {
  const text = generateConfig({ ...sampleInput('controlplane'), secrets: realSecrets });
  assert.equal(convertConfigurationText(text).text, text);
});

const machine = (body: string, cluster = '') => `machine:
  type: worker
  ca: { crt: ${base64FromPem(realSecrets.certs.os.certificate)} }
${body}cluster:
  controlPlane: { endpoint: https://10.5.0.1:6443 }
${cluster}`;

test('convertConfigurationText() keeps every comment: with its key, or above the document of its section', () => {
  const text = machine(
    `  # about time
  time: # beside time
    # above servers
    servers: # servers
      - a.test # one
  # about sysctls
  sysctls:
    # above a
    net.a: "1" # beside a
  registries:
    mirrors:
      docker.io: # the hub
        endpoints:
          - https://m.test # mirror
  # about nothing else
  udev: { rules: [a] } # rules
`,
    '  # the name\n  clusterName: alpha # alpha\n',
  );
  const { text: after } = converted(`# head\n\n${text}# end\n`);
  const lost = [...text.matchAll(/# (.*)/g)]
    .map(([, comment = '']) => comment)
    .filter((each) => !after.includes(`# ${each}\n`));
  assert.deepEqual([lost, after.startsWith('# head\n\n'), after.includes('# end\n')], [[], true, true]);
  assert.match(
    after,
    /kind: TimeSyncConfig\nntp:\n {4}# above servers\n {4}servers: # servers\n {8}- a.test # one\n/,
  );
  assert.match(after, /params:\n {4}# above a\n {4}net.a: "1" # beside a\n/);
});

test('convertConfigurationText() leaves a whole section when one of its keys has no counterpart', () => {
  const { lines, text } = converted(
    machine(`  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.33.1
    extraMounts: [{ destination: /d, type: bind, source: /s, options: [bind] }]
    nodeIP: { validSubnets: [10.0.0.0/8] }
  nodeLabels: { a: b }
  disks: [{ device: /dev/sdb, partitions: [{ mountpoint: /var/mnt/x }] }]
  network: { interfaces: [{ interface: eth0, dhcp: true }] }
`),
  );
  assert.deepEqual(lines.toSorted(), [
    'line 10, column 26: machine.network.interfaces stays: the first document of a link ends DHCP on all links, and this section only on those that it names',
    'line 12, column 17: cluster.controlPlane stays: its document KubeClusterConfig would be refused: clusterName is required',
    'line 6, column 18: machine.kubelet stays: extraMounts has no counterpart',
    'line 8, column 15: machine.nodeLabels stays: machine.kubelet stays, with nodeIP',
    'line 9, column 10: machine.disks stays: a UserVolumeConfig is another partition, and the data of this one would be out of reach',
  ]);
  assert.equal(text.includes('kind:'), false);
});

test('convertConfigurationText() refuses what is not valid, with the position and without secrets', () => {
  const refusals = [
    machine('  token: [secret]\n'),
    machine('  unknown: secret\n'),
    machine('  network: { kubespan: { enabled: true, mtu: 5 } }\n'),
    '- a\n',
    '',
  ];
  for (const text of refusals) {
    assert.throws(
      () => convertConfigurationText(text),
      (error: Error) => /line \d+|config not found/.test(error.message) && !error.message.includes('secret'),
      text,
    );
  }
});

test('convertConfigurationText() rejects large input in bounded time', () => {
  const documents = 'apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 10.0.0.1\n---\n'.repeat(10_000);
  const anchors = `a0: &a0 [x]\n${Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`).join('')}`;
  const deep = machine(`  kubelet: { extraConfig: ${'{a: '.repeat(5000)}1${'}'.repeat(5000)} }\n`);
  for (const text of [documents, anchors, deep]) {
    const started = performance.now();
    assert.throws(
      () => convertConfigurationText(text),
      (error: Error) => error.message.split('\n').length <= 3,
    );
    assert.ok(performance.now() - started < 20_000);
  }
});

test('convertConfigurationText() converts 4 MB of manifests', () => {
  const contents = `    - name: big\n      contents: |\n${'        key: value # text\n'.repeat(160_000)}`;
  const { kinds, text } = converted(machine('', `  inlineManifests:\n${contents}`));
  assert.deepEqual([kinds.includes('KubeInlineManifestConfig'), text.length > 3_000_000], [true, true]);
});

/** Entries for `/etc/hosts`, each of which is a document of its own. */
const hostEntries = (count: number, aliases: number) => {
  const names = Array.from({ length: aliases }, (_, at) => `a${at}`).join(', ');
  const entry = (at: number) =>
    `      - { ip: 10.1.${Math.floor(at / 250)}.${at % 250}, aliases: [${names}] }\n`;
  return `  network:\n    extraHostEntries:\n${Array.from({ length: count }, (_, at) => entry(at)).join('')}`;
};

test('convertConfigurationText() writes nothing that cannot be read again', () => {
  // A section that would need more documents than a configuration may have stays.
  const { lines, kinds, text } = converted(machine(`${hostEntries(1000, 1)}  sysctls: { a: "1" }\n`));
  assert.ok(kinds.includes('SysctlConfig') && !kinds.includes('StaticHostConfig'));
  assert.ok(lines.some((line) => /extraHostEntries stays: .* more than 1,000 documents/.test(line)));
  assert.equal(loadConfiguration(text).length, kinds.length);
  // The keys that each document has beside its section count, too.
  assert.throws(() => convertConfigurationText(machine(hostEntries(980, 22))), {
    kind: 'invalid-argument',
    message: /^the converted configuration could not be read: .*30,000/,
  });
  const patch = machine(hostEntries(1000, 1)).replace(/ {2}type.*\n.*\n/, '');
  assert.ok(convertPatchText(patch).notes.some(({ text }) => text.includes('more than 1,000 documents')));
});

test('readAgain() refuses a text that says something else than what was meant', () => {
  const meant = loadConfiguration(machine('  sysctls: { a: "1" }\n'));
  readAgain(machine('  sysctls: { a: "1" } # text\n'), meant);
  for (const other of ['  sysctls: { a: "2" }\n', '', '  sysctls: { a: "1", b: "1" }\n'])
    assert.throws(
      () => readAgain(machine(other), meant),
      (error: Error) => /another v1alpha1/.test(error.message) && !error.message.includes('"2"'),
    );
  const more = `${machine('  sysctls: { a: "1" }\n')}---\napiVersion: v1alpha1\nkind: SysfsConfig\nparams: { a: "1" }\n`;
  assert.throws(() => readAgain(more, meant), { kind: 'internal' });
});

test('convertConfigurationText() converts back what the generator writes for 1.14 and 1.15', () => {
  for (const minor of [14, 15])
    for (const type of types) {
      const text = generateConfig({ ...sampleInput(type, {}, minor), secrets: realSecrets });
      const { text: back, notes } = convertConfigurationText(text, { to: 'sections' });
      const differences = compareEffective(loadConfiguration(text), loadConfiguration(back));
      assert.deepEqual(unexplained(differences, notes), []);
      assert.deepEqual(
        notes.filter(({ kind }) => kind === 'kept').map(({ key }) => key),
        ['FilesystemTrimConfig', 'SecurityProfileConfig'],
      );
    }
});

test('convertConfigurationText() keeps comments on the way back', () => {
  const text = `${machine('').replace('\n  controlPlane: { endpoint: https://10.5.0.1:6443 }', ' {}')}---
# about the kubelet

apiVersion: v1alpha1
kind: KubeletConfig
# the image
image: ghcr.io/siderolabs/kubelet:v1.33.1 # pinned
config:
  maxPods: 5 # few
---
apiVersion: v1alpha1
kind: KubeClusterConfig
clusterName: alpha # the name
endpoint: https://10.5.0.1:6443
`;
  const { text: back } = convertConfigurationText(text, { to: 'sections' });
  const wanted = ['about the kubelet', 'the image', 'pinned', 'few', 'the name'];
  assert.deepEqual(
    wanted.filter((comment) => !back.includes(`# ${comment}\n`)),
    [],
  );
  assert.match(back, /extraConfig:\n {12}maxPods: 5 # few\n/);
});

test('parseConversionTarget() accepts the versions of both forms and names every other', () => {
  assert.deepEqual(['1.14', 'v1.14', '1.15', '1.13'].map(parseConversionTarget), [
    'documents',
    'documents',
    'documents',
    'sections',
  ]);
  for (const text of ['1.12', '1.16', '', 'vv1.14', '1.14.0', 'toString'])
    assert.throws(() => parseConversionTarget(text), { kind: 'invalid-argument' });
});

test('convertPatchText() converts a patch and adds no defaults', () => {
  const rows: readonly [string, string][] = [
    ['cluster: { proxy: { mode: ipvs } } # why', 'KubeProxyConfig\nmode: ipvs # why'],
    ['machine: { nodeLabels: { a: b } }', 'KubeNodeConfig\nlabels:\n    a: b'],
    ['machine: { kubelet: { extraArgs: { v: "4" } } }', 'KubeletConfig\nextraArgs:\n    v: "4"'],
  ];
  for (const [patch, body] of rows) {
    const { text, notes } = convertPatchText(patch);
    assert.deepEqual({ text, notes }, { text: `apiVersion: v1alpha1\nkind: ${body}\n`, notes: [] });
    assert.equal(parsePatch(text).kind, 'strategic', text);
  }
  const deletes = 'machine: { sysctls: { $patch: delete } }';
  assert.deepEqual([convertPatchText(deletes).text, convertPatchText(deletes).notes.length], [deletes, 1]);
  assert.throws(() => convertPatchText('[{ "op": "remove", "path": "/machine" }]'), /a JSON patch cannot/);
});
