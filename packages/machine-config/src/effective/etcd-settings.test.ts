import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { effectiveConfig } from './effective-config.ts';

const pem = (label: string) => `-----BEGIN ${label}-----\nMA==\n-----END ${label}-----\n`;
const [certificate, key] = [pem('CERTIFICATE'), pem('EC PRIVATE KEY')];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const etcdOf = (body: string) =>
  effectiveConfig(loadConfiguration(`version: v1alpha1\ncluster: { etcd: { ${body} } }\n`)).etcd;

test('effectiveConfig() returns the etcd settings of control planes, with defaults', () => {
  assert.deepEqual(etcdOf(`ca: { crt: ${base64(certificate)}, key: ${base64(key)} }`), {
    ca: { certificate, key },
    image: 'registry.k8s.io/etcd:v3.7.1',
    extraArgs: {},
    advertisedSubnets: [],
    listenSubnets: [],
  });
  const { ca, ...rest } = etcdOf(
    'image: x, extraArgs: { a: 1, b: [c, d], e: "" }, advertisedSubnets: [10.0.0.0/8, "!10.1.0.0/16"]',
  );
  assert.equal(ca, undefined);
  assert.deepEqual(rest, {
    image: 'x',
    extraArgs: { a: ['1'], b: ['c', 'd'], e: [''] },
    advertisedSubnets: ['10.0.0.0/8', '!10.1.0.0/16'],
    listenSubnets: ['10.0.0.0/8', '!10.1.0.0/16'],
  });
});

test('effectiveConfig() accepts the old field for etcd subnets, and separate listen subnets', () => {
  const { advertisedSubnets, listenSubnets } = etcdOf('subnet: 10.0.0.0/8, listenSubnets: [10.2.0.0/16]');
  assert.deepEqual([advertisedSubnets, listenSubnets], [['10.0.0.0/8'], ['10.2.0.0/16']]);
});
