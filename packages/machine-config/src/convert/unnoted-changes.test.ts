import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { sampleInput } from '../generate/sample-input.ts';
import { applyPatches } from '../patch/apply-patches.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { realSecrets } from './arbitrary-configuration.ts';
import { compareEffective, unexplained } from './compare-effective.ts';
import { formatNote } from './conversion.ts';
import { type ConfigurationForm, convertConfigurationText } from './convert-configuration.ts';

// Changes of the components of Kubernetes that keys alone do not show: a flag that moves unchanged can mean something else.

/** A control plane as the generator writes it, with a patch. */
function controlPlane(minor: number, patch: string): string {
  const text = generateConfig({ ...sampleInput('controlplane', {}, minor), secrets: realSecrets });
  return encodeConfiguration(applyPatches(loadConfiguration(text), [parsePatch(patch)]));
}

function convert(text: string, to: ConfigurationForm) {
  const { after, notes } = convertConfigurationText(text, { to });
  const differences = compareEffective(loadConfiguration(text), after);
  return {
    kinds: after.map(({ kind }) => kind),
    lines: notes.map(formatNote),
    differences: differences.map(({ path }) => path),
    unexplained: unexplained(differences, notes).map(({ path }) => path),
  };
}

const has = (lines: readonly string[], text: string) => lines.filter((line) => line.includes(text)).length;

test('a flag for the length of pod subnets keeps cluster.network where it is: the document adds flags beside it', () => {
  const flags = 'extraArgs: { node-cidr-mask-size: "22" }';
  const inSection = controlPlane(13, `cluster: { controllerManager: { ${flags} } }`);
  const section = convert(inSection, 'documents');
  assert.deepEqual(
    [
      section.kinds.includes('KubeControllerManagerConfig'),
      section.kinds.includes('KubeNetworkConfig'),
      has(section.lines, 'cluster.network stays: the document sets the lengths of pod subnets'),
      section.unexplained,
    ],
    [true, false, 1, []],
  );
  // The flag may be in a document already.
  const again = convertConfigurationText(inSection).text;
  assert.equal(convertConfigurationText(again).text, again);

  // The other way round, the flags that the document adds go, and the components do what they could not do before.
  const back = convert(
    controlPlane(14, `apiVersion: v1alpha1\nkind: KubeControllerManagerConfig\n${flags}\n`),
    'sections',
  );
  assert.deepEqual(
    [
      back.differences.includes('controlPlane.nodeMasks.ipv4'),
      back.unexplained,
      has(back.lines, 'node-cidr-mask-size'),
    ],
    [true, [], 1],
  );
});

test('flags of kube-proxy keep cluster.proxy where it is: beside a configuration file they have no effect', () => {
  const patch = 'cluster: { proxy: { extraArgs: { conntrack-max-per-core: "1" } } }';
  const section = convert(controlPlane(13, patch), 'documents');
  assert.deepEqual(
    [
      section.kinds.includes('KubeProxyConfig'),
      has(section.lines, 'cluster.proxy stays'),
      section.unexplained,
    ],
    [false, 1, []],
  );
  assert.match(convertConfigurationText(controlPlane(13, 'machine: {}')).text, /kind: KubeProxyConfig/);

  const document =
    'apiVersion: v1alpha1\nkind: KubeProxyConfig\nextraArgs: { conntrack-max-per-core: "1" }\n---\napiVersion: v1alpha1\nkind: KubeProxyConfig\nconfig:\n  $patch: delete\n';
  const back = convert(controlPlane(14, document), 'sections');
  assert.deepEqual(
    [
      back.differences.includes('manifests.proxy.extraArgs.conntrack-max-per-core'),
      back.unexplained,
      has(back.lines, 'KubeProxyConfig: extraArgs changes'),
    ],
    [true, [], 1],
  );
});

test('a control plane gets a KubeNodeConfig, although it sets nothing of its node: a patch would take its taint off', () => {
  const sources = [
    controlPlane(13, 'machine: { nodeLabels: { $patch: delete } }'),
    controlPlane(14, 'apiVersion: v1alpha1\nkind: KubeNodeConfig\n$patch: delete\n'),
  ];
  for (const source of sources) {
    const { text, notes, after } = convertConfigurationText(source);
    assert.ok(after.some(({ kind }) => kind === 'KubeNodeConfig'));
    const labelled = applyPatches(loadConfiguration(text), [
      parsePatch('apiVersion: v1alpha1\nkind: KubeNodeConfig\nlabels: { a: b }\n'),
    ]);
    const differences = compareEffective(loadConfiguration(source), labelled);
    assert.deepEqual(
      unexplained(differences, notes).map(({ path }) => path),
      ['node.labels.a'],
    );
    assert.equal(convertConfigurationText(text).text, text);
  }
  // Not when settings of the node stay in the section of the kubelet, which excludes the document.
  const mounts = 'extraMounts: [{ destination: /d, type: bind, source: /s, options: [bind] }]';
  const kubelet = `machine: { kubelet: { ${mounts}, registerWithFQDN: true } }`;
  assert.equal(convert(controlPlane(13, kubelet), 'documents').kinds.includes('KubeNodeConfig'), false);
});

test('credentials that set nothing are left out, and TLS settings that set nothing get their document', () => {
  const patch = 'machine: { registries: { config: { docker.io: { tls: {} }, ghcr.io: { auth: {} } } } }';
  const source = controlPlane(13, patch);
  const { text, after, notes } = convertConfigurationText(source);
  const names = after
    .filter(({ kind }) => kind.startsWith('Registry'))
    .map(({ kind, value }) => [kind, value.name]);
  assert.deepEqual(names, [['RegistryTLSConfig', 'docker.io']]);
  const back = convertConfigurationText(text, { to: 'sections' });
  const differences = compareEffective(loadConfiguration(source), back.after);
  assert.deepEqual(unexplained(differences, [...notes, ...back.notes]), []);
});
