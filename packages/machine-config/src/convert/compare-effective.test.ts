import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { compareEffective } from './compare-effective.ts';

/** A worker with a link, and with more documents, each without `apiVersion`. */
function worker(...documents: string[]) {
  const legacy =
    'version: v1alpha1\nmachine: { type: worker }\ncluster: { controlPlane: { endpoint: "https://a.test:6443" } }\n';
  const others = ['kind: LinkConfig\nname: eth0\nup: true\n', ...documents];
  return loadConfiguration([legacy, ...others.map((text) => `apiVersion: v1alpha1\n${text}`)].join('---\n'));
}

const pathsOf = (before: string[], after: string[]) =>
  compareEffective(worker(...before), worker(...after)).map(({ path, kind }) => `${path} ${kind}`);

test('compareEffective() sees a document that has only a name, which is enough to make a link, a lease or a route', () => {
  for (const [kind, name] of [
    ['DHCPv4Config', 'eth1'],
    ['DummyLinkConfig', 'dummy0'],
    ['BlackholeRouteConfig', '10.9.0.0/16'],
  ])
    assert.deepEqual(pathsOf([], [`kind: ${kind}\nname: ${name}\n`]), [`asWritten.${kind}/${name} added`]);
});

test('compareEffective() leaves out a document of a volume or of Ethernet settings that has only a name', () => {
  assert.deepEqual(
    pathsOf([], ['kind: VolumeConfig\nname: EPHEMERAL\n', 'kind: EthernetConfig\nname: eth0\n']),
    [],
  );
});

test('compareEffective() sees the encryption of a volume for which v1alpha1 has no section', () => {
  const volume = (key: string) =>
    `kind: VolumeConfig\nname: IMAGECACHE\nencryption: { provider: luks2, keys: [{ slot: 0, ${key} }] }\n`;
  const [nodeId, tpm] = [volume('nodeID: {}'), volume('tpm: {}')];
  assert.deepEqual(pathsOf([nodeId], [tpm]), [
    'asWritten.VolumeConfig/IMAGECACHE.encryption.keys[0].nodeID removed',
    'asWritten.VolumeConfig/IMAGECACHE.encryption.keys[0].tpm added',
  ]);
  assert.deepEqual(pathsOf([], [tpm]), ['asWritten.VolumeConfig/IMAGECACHE added']);
});

test('compareEffective() compares the encryption of STATE and EPHEMERAL once, whichever form has it', () => {
  const volume = (name: string) =>
    `kind: VolumeConfig\nname: ${name}\nencryption: { provider: luks2, keys: [{ slot: 0, nodeID: {} }] }\n`;
  for (const name of ['STATE', 'EPHEMERAL'])
    assert.deepEqual(
      pathsOf([], [volume(name)]).map((path) => path.split('.').slice(0, 2).join('.')),
      [`encryption.${name}`, `encryption.${name}`],
    );
});
