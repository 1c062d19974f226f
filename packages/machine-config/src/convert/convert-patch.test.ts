import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { sampleInput } from '../generate/sample-input.ts';
import { applyPatches } from '../patch/apply-patches.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { realSecrets } from './arbitrary-configuration.ts';
import { formatNote } from './conversion.ts';
import { convertPatchText } from './convert-configuration.ts';

// A converted patch is used on configurations that are documents already, and must not set there what it did not set before.

const base = loadConfiguration(
  generateConfig({ ...sampleInput('controlplane', {}, 14), secrets: realSecrets }),
);

function convert(patch: string) {
  const { text, notes } = convertPatchText(patch);
  return { text, lines: notes.map(formatNote) };
}

test('a converted patch of the host name fits a configuration whose host name is derived', () => {
  const { text } = convert('machine:\n  network:\n    hostname: n1 # the first\n');
  const patched = applyPatches(base, [parsePatch(text)]);
  const document = patched.find(({ kind }) => kind === 'HostnameConfig');
  assert.deepEqual({ ...document?.value }, { auto: 'off', hostname: 'n1' });
  const { errors } = validateConfiguration(patched, { mode: 'cloud', local: true, isInstalled: true });
  assert.deepEqual(errors, []);
  assert.match(text, /hostname: n1 # the first\n/);
});

test('a patch keeps sections whose documents need a value that the patch leaves to the configuration', () => {
  const rows: readonly [string, string][] = [
    // The document needs an endpoint and would put the public one in place of a private one.
    ['cluster: { discovery: { enabled: true } }', 'cluster.discovery stays'],
    // The document needs a port and would put 7445 in place of another one.
    ['machine: { features: { kubePrism: { enabled: true } } }', 'machine.features.kubePrism stays'],
    // Only an endpoint can have the key in the document.
    ['machine: { registries: { mirrors: { a.test: { overridePath: true } } } }', 'machine.registries stays'],
  ];
  for (const [patch, wanted] of rows) {
    const { text, lines } = convert(patch);
    assert.equal(text, patch);
    assert.ok(lines.length === 1 && lines[0]?.includes(wanted), `${patch}: ${lines}`);
  }
  const withPort = convert('machine: { features: { kubePrism: { enabled: true, port: 7000 } } }');
  assert.deepEqual(withPort, {
    text: 'apiVersion: v1alpha1\nkind: KubePrismConfig\nport: 7000\n',
    lines: [],
  });
});

test('a patch of the endpoints of a mirror says that overridePath of the configuration is not theirs any more', () => {
  for (const own of ['', ', overridePath: true']) {
    const { text, lines } = convert(
      `machine: { registries: { mirrors: { a.test: { endpoints: [https://m.test/x]${own} } } } }`,
    );
    assert.match(text, /kind: RegistryMirrorConfig\nname: a\.test\n/);
    assert.equal(text.includes('overridePath: true'), own !== '');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /machine\.registries\.mirrors\."?a\.test"? changes: .*overridePath/);
  }
});

test('a patch that has no effect stays as it is, with its comments', () => {
  const rows = [
    'cluster:\n  apiServer:\n    # an old cluster\n    disablePodSecurityPolicy: true # since 1.25\n',
    'machine:\n  kubelet:\n    disableManifestsDirectory: true # why\n',
    'cluster: { coreDNS: {} } # nothing\n',
  ];
  for (const patch of rows) {
    const { text, lines } = convert(patch);
    assert.equal(text, patch);
    assert.deepEqual(lines, ['the patch stays: nothing in it has an effect on a node']);
  }
});
