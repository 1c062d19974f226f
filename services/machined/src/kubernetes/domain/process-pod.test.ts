import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlPlaneText, expectedPods, renderedPods } from '@nodewright/node-files/testing';
import type { JsonObject } from '@nodewright/state';
import { podProcess } from './process-pod.ts';

const place = { root: '/state/node 1', address: '127.5.0.2', programs: '/opt/kubernetes' };
const processOf = (name: string) => podProcess(expectedPods[name] ?? {}, place);
const flagsOf = (argv: readonly string[]) =>
  Object.fromEntries(argv.slice(1).map((flag) => flag.replace(/^--/, '').split('=') as [string, string]));

test('podProcess() moves the API server to the address and the folder of the node', () => {
  const { argv, environment, health } = processOf('kube-apiserver');
  const flags = flagsOf(argv);
  assert.equal(argv[0], '/opt/kubernetes/kube-apiserver');
  assert.deepEqual(
    [
      flags['bind-address'],
      flags['advertise-address'],
      flags['etcd-servers'],
      flags['endpoint-reconciler-type'],
      flags['tls-cert-file'],
      flags['audit-log-path'],
      flags['authorization-config'],
      flags['service-account-issuer'],
    ],
    [
      '127.5.0.2',
      '127.5.0.2',
      'https://127.5.0.2:2379',
      'none',
      '/state/node 1/system/secrets/kubernetes/kube-apiserver/apiserver.crt',
      '/state/node 1/var/log/audit/kube/kube-apiserver.log',
      '/state/node 1/system/config/kubernetes/kube-apiserver/authorization-config.yaml',
      'https://10.5.0.1:6443',
    ],
  );
  assert.deepEqual(environment, {});
  assert.deepEqual(health, { host: '127.5.0.2', port: 6443, path: '/readyz' });
});

test('podProcess() leaves no path of a node and no address of another one in any argument', () => {
  for (const name of Object.keys(expectedPods)) {
    const { argv } = processOf(name);
    const wrong = argv.filter((arg) => /=(\/system|\/var|\/usr)|0\.0\.0\.0|127\.0\.0\.1|\$\(/.test(arg));
    assert.deepEqual(wrong, [], name);
  }
});

test('podProcess() checks the controller manager and the scheduler at the address of the node', () => {
  assert.deepEqual(
    ['kube-controller-manager', 'kube-scheduler'].map((name) => processOf(name).health),
    [
      { host: '127.5.0.2', port: 10257, path: '/healthz' },
      { host: '127.5.0.2', port: 10259, path: '/readyz' },
    ],
  );
});

test('podProcess() finds the volumes of the user below the folder of the node, and passes on variables', async () => {
  const patch = `cluster: { scheduler: {
    extraArgs: { tls-cert-file: /a/b/x.crt, other: /a/bc, leader-elect: "false" },
    extraVolumes: [{ hostPath: /var/a, mountPath: /a }, { hostPath: /b, mountPath: /a/b }],
    env: { X: "1" } } }`;
  const pod = renderedPods(await controlPlaneText({ minor: 13, patches: [patch] }))['kube-scheduler'] ?? {};
  const { argv, environment } = podProcess(pod, place);
  const { 'tls-cert-file': certificate, other, 'leader-elect': leader } = flagsOf(argv);
  assert.deepEqual(
    [certificate, other, leader, environment],
    ['/state/node 1/b/x.crt', '/state/node 1/var/a/bc', 'false', { X: '1' }],
  );
});

test('podProcess() replaces the reconciler of the user, and refuses pods that it did not make', async () => {
  const patch =
    'cluster: { apiServer: { extraArgs: { endpoint-reconciler-type: lease, feature-gates: "A=true,APIServerIdentity=true" } } }';
  const pod = renderedPods(await controlPlaneText({ minor: 13, patches: [patch] }))['kube-apiserver'] ?? {};
  const { argv, health } = podProcess(pod, place);
  assert.deepEqual(
    argv.filter((flag) => flag.includes('reconciler')),
    ['--endpoint-reconciler-type=none'],
  );
  assert.deepEqual(
    argv.filter((flag) => flag.includes('gates')),
    [
      '--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false,A=true,APIServerIdentity=true',
    ],
  );
  // Without a document for it, the API server answers no health check without credentials.
  assert.deepEqual(health, { host: '127.5.0.2', port: 6443 });
  const wrongs: JsonObject[] = [{}, { spec: { containers: [] } }, { spec: { containers: [{}, {}] } }];
  for (const wrong of wrongs) assert.throws(() => podProcess(wrong, place), { kind: 'invalid-argument' });
});
