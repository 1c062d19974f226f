import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Configuration, encodeConfiguration, loadConfiguration } from '@nodewright/machine-config';
import { HiddenValues } from './hidden-values.ts';

const values = new HiddenValues(Buffer.alloc(32, 7));
const text = `version: v1alpha1
machine:
  type: worker
  token: first-secret
  ca: { crt: Zm9v, key: "" }
  files: [{ content: "password=top", permissions: 0o600, path: /etc/x, op: create }]
cluster:
  controlPlane: { endpoint: "https://a:6443" }
  token: second-secret
---
apiVersion: v1alpha1
kind: WireguardConfig
name: w
privateKey: third-secret
peers: [{ publicKey: p, presharedKey: fourth-secret }, { publicKey: q, presharedKey: fifth-secret }]
`;
const current = loadConfiguration(text);
const shown = encodeConfiguration(values.hide(current));
const restored = (edited: string) => encodeConfiguration(values.restore(loadConfiguration(edited), current));

test('hide() leaves no secret in the text, and restore() puts each one back', () => {
  assert.doesNotMatch(shown, /secret\b(?!:)|password=/);
  assert.equal(shown.match(/<hidden [0-9a-f]{12}>/g)?.length, 6);
  assert.equal(restored(shown), encodeConfiguration(current));
});

test('restore() keeps secrets with the parts that moved', () => {
  const [first = '', second = ''] = shown.match(/ *- publicKey: .*\n.*\n/g) ?? [];
  const moved = shown.replace(first + second, second + first);
  assert.notEqual(moved, shown);
  const peers = loadConfiguration(restored(moved))[1]?.value.peers;
  assert.deepEqual(peers, [
    { publicKey: 'q', presharedKey: 'fifth-secret' },
    { publicKey: 'p', presharedKey: 'fourth-secret' },
  ]);
});

test('restore() keeps a value that the user wrote instead of a mark', () => {
  const mark = /token: (<hidden .*>)/.exec(shown)?.[1] ?? '';
  assert.match(restored(shown.replace(mark, 'new-token')), /token: new-token/);
});

test('restore() refuses marks that it cannot replace', () => {
  const mark = /token: (<hidden .*>)/.exec(shown)?.[1] ?? '';
  assert.throws(() => restored(shown.replace(mark, '<hidden 000000000000>')), {
    kind: 'invalid-argument',
    message: '<hidden 000000000000> stands for a value that this node does not have: write the value itself',
  });
  assert.throws(() => restored(shown.replace(mark, `x${mark}`)), /must be the whole value of its field/);
});

test('equal secrets have equal marks, and another key makes other marks', () => {
  const markOf = (configuration: Configuration, by: HiddenValues) =>
    /token: (<hidden .*>)/.exec(encodeConfiguration(by.hide(configuration)))?.[1];
  const other = loadConfiguration(text.replace('type: worker', 'type: controlplane'));
  assert.equal(markOf(current, values), markOf(other, values));
  assert.notEqual(markOf(current, values), markOf(current, new HiddenValues(Buffer.alloc(32, 8))));
});
