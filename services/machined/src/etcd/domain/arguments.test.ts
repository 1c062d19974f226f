import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { EtcdSpecSpec } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { etcdArguments } from './arguments.ts';
import { etcdVersionFrom, etcdVersionOfImage, newestEtcd } from './etcd-version.ts';

const spec: EtcdSpecSpec = {
  name: 'node01',
  advertisedAddresses: ['10.0.0.5'],
  listenPeerAddresses: ['0.0.0.0'],
  listenClientAddresses: ['0.0.0.0'],
  image: '',
  extraArgs: {},
};
const paths = { data: '/var/lib/etcd', secrets: '/system/secrets/etcd' };
const initial = { state: 'new', members: 'node01=https://10.0.0.5:2380' } as const;
const init = { spec, paths, version: { major: 3, minor: 7 }, initial: undefined };
const withExtra = (extraArgs: EtcdSpecSpec['extraArgs']) => ({ ...init, spec: { ...spec, extraArgs } });

test('etcdArguments() returns the same flags as Talos, sorted', () => {
  assert.deepEqual(etcdArguments({ ...init, initial }), [
    '--advertise-client-urls=https://10.0.0.5:2379',
    '--auto-tls=false',
    '--cert-file=/system/secrets/etcd/server.crt',
    '--client-cert-auth=true',
    '--data-dir=/var/lib/etcd',
    '--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true',
    '--initial-advertise-peer-urls=https://10.0.0.5:2380',
    '--initial-cluster=node01=https://10.0.0.5:2380',
    '--initial-cluster-state=new',
    '--key-file=/system/secrets/etcd/server.key',
    '--listen-client-http-urls=https://0.0.0.0:2383',
    '--listen-client-urls=https://0.0.0.0:2379',
    '--listen-peer-urls=https://0.0.0.0:2380',
    '--name=node01',
    '--peer-auto-tls=false',
    '--peer-cert-file=/system/secrets/etcd/peer.crt',
    '--peer-client-cert-auth=true',
    '--peer-key-file=/system/secrets/etcd/peer.key',
    '--peer-trusted-ca-file=/system/secrets/etcd/ca.crt',
    '--tls-min-version=TLS1.3',
    '--trusted-ca-file=/system/secrets/etcd/ca.crt',
    '--watch-progress-notify-interval=5s',
  ]);
});

test('etcdArguments() uses the older flag names for etcd 3.5 and omits flags that it does not know', () => {
  const changed = (minor: number) => new Set(etcdArguments({ ...init, version: { major: 3, minor } }));
  const [older, newer] = [changed(5), changed(6)];
  assert.deepEqual(
    [[...older].filter((flag) => !newer.has(flag)), [...newer].filter((flag) => !older.has(flag))],
    [
      [
        '--experimental-compact-hash-check-enabled=true',
        '--experimental-initial-corrupt-check=true',
        '--experimental-watch-progress-notify-interval=5s',
      ],
      [
        '--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true',
        '--watch-progress-notify-interval=5s',
      ],
    ],
  );
});

test('etcdArguments() lets the configuration add and repeat flags and replace the advertised URLs', () => {
  const args = etcdArguments({
    ...withExtra({
      'quota-backend-bytes': { values: ['1'] },
      'enable-v2': { values: ['a', 'b'] },
      'initial-cluster-state': { values: ['existing'] },
      'advertise-client-urls': { values: ['https://a:1'] },
    }),
    initial,
  });
  assert.deepEqual(
    args.filter((flag) => /quota|enable-v2|cluster-state|advertise-client/.test(flag)),
    [
      '--advertise-client-urls=https://a:1',
      '--enable-v2=a',
      '--enable-v2=b',
      '--initial-cluster-state=existing',
      '--quota-backend-bytes=1',
    ],
  );
});

const initialFlags = [
  'initial-cluster',
  'initial-cluster-state',
  'initial-advertise-peer-urls',
  'advertise-client-urls',
];

test('etcdArguments() rejects and names each flag that the node sets itself', () => {
  const own = etcdArguments({ ...init, initial }).map((flag) => flag.slice(2).split('=')[0] ?? '');
  fc.assert(
    fc.property(fc.constantFrom(...own), fc.constantFrom('3.5', '3.6'), (name, release) => {
      const version = { major: 3, minor: Number(release.at(-1)) };
      const call = () => etcdArguments({ ...withExtra({ [name]: { values: ['x'] } }), version, initial });
      if (initialFlags.includes(name)) assert.ok(call().includes(`--${name}=x`));
      else
        assert.throws(
          call,
          new Fault(
            'invalid-argument',
            `cluster.etcd.extraArgs sets "${name}", which the node sets itself: remove it`,
          ),
        );
    }),
  );
});

test('the etcd version comes from the output of the program or from the tag of its image', () => {
  assert.deepEqual(
    [
      etcdVersionFrom('etcd Version: 3.5.16\nGit SHA: x\n'),
      etcdVersionFrom('bash: etcd: not found'),
      etcdVersionOfImage('registry.k8s.io/etcd:v3.7.1'),
      etcdVersionOfImage('host:5000/etcd:3.5.16-0@sha256:00'),
      etcdVersionOfImage('registry.example:5000/etcd'),
      etcdVersionOfImage('etcd:latest'),
    ],
    [
      { major: 3, minor: 5 },
      undefined,
      { major: 3, minor: 7 },
      { major: 3, minor: 5 },
      newestEtcd,
      newestEtcd,
    ],
  );
});
