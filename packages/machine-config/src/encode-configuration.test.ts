import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from './decode/load-configuration.ts';
import { encodeConfiguration } from './encode-configuration.ts';

const annotated = { docs: true, examples: false };

test('encodeConfiguration() sorts map keys by the numbers inside, but bytewise when it writes comments', () => {
  const text = 'apiVersion: v1alpha1\nkind: SysctlConfig\nparams: { a10: x, a9: x, B: x, a-1: x, a.1: x }\n';
  const keys = (encoded: string) => [...encoded.matchAll(/^ {4}(\S+):/gm)].map(([, key]) => key);
  const configuration = loadConfiguration(text);
  assert.deepEqual(keys(encodeConfiguration(configuration)), ['B', 'a-1', 'a.1', 'a9', 'a10']);
  assert.deepEqual(keys(encodeConfiguration(configuration, annotated)), ['B', 'a-1', 'a.1', 'a10', 'a9']);
});

test('encodeConfiguration() keeps three empty lists of the legacy document when it writes comments', () => {
  const configuration = loadConfiguration(
    'machine: { seccompProfiles: [], pods: [] }\ncluster: { extraManifests: [], inlineManifests: [] }\n',
  );
  const kept = (text: string) =>
    ['seccompProfiles', 'pods', 'extraManifests', 'inlineManifests'].filter((key) =>
      text.includes(`${key}: []`),
    );
  assert.deepEqual(kept(encodeConfiguration(configuration)), []);
  assert.deepEqual(kept(encodeConfiguration(configuration, annotated)), [
    'seccompProfiles',
    'extraManifests',
    'inlineManifests',
  ]);
});

test('encodeConfiguration() writes a separator line between documents, but not at the start or end', () => {
  const text = 'machine: {}\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n---\n# nothing\n';
  const encoded = encodeConfiguration(loadConfiguration(text));
  assert.equal(
    encoded.endsWith('cluster: null\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: "off"\n'),
    true,
  );
  assert.equal(encoded.startsWith('version: '), true);
});
