import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etcdSettings } from './etcd-settings.ts';

const spec = {
  name: 'node01',
  advertisedAddresses: ['10.0.0.1', '10.0.0.2'],
  image: 'etcd:v3.6.0',
  extraArgs: { a: { values: ['1'] }, b: { values: ['2', '3'] } },
  listenPeerAddresses: ['10.0.0.1', '10.0.0.2'],
  listenClientAddresses: ['10.0.0.1'],
};

test('etcdSettings() changes with the name, the arguments, their values and the addresses', () => {
  const others = [
    { ...spec, name: 'node02' },
    { ...spec, advertisedAddresses: ['10.0.0.1', '10.0.0.3'] },
    { ...spec, extraArgs: { a: { values: ['1'] } } },
    { ...spec, extraArgs: { ...spec.extraArgs, b: { values: ['3', '2'] } } },
    { ...spec, listenPeerAddresses: ['10.0.0.1'] },
    { ...spec, listenClientAddresses: ['10.0.0.2'] },
  ];
  const texts = [spec, ...others].map((each) => etcdSettings(each, false));
  assert.equal(new Set(texts).size, texts.length);
});

test('etcdSettings() does not depend on the order of arguments and addresses', () => {
  const reordered = {
    ...spec,
    extraArgs: { b: { values: ['2', '3'] }, a: { values: ['1'] } },
    listenPeerAddresses: ['10.0.0.2', '10.0.0.1'],
    advertisedAddresses: ['10.0.0.2', '10.0.0.1'],
  };
  assert.equal(etcdSettings(reordered, true), etcdSettings(spec, true));
});

test('etcdSettings() contains the image only when etcd runs from it', () => {
  const upgraded = { ...spec, image: 'etcd:v3.7.0' };
  const differ = (usesImage: boolean) => etcdSettings(spec, usesImage) !== etcdSettings(upgraded, usesImage);
  assert.deepEqual([differ(true), differ(false)], [true, false]);
});
