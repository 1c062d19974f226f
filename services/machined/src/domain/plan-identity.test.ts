import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import type { NodeConfig } from '@nodewright/machine-config';
import fc from 'fast-check';
import { isRenewalDue, renewalPeriodMs } from './certificate-renewal.ts';
import { isIpAddress } from './is-ip-address.ts';
import { listenAddressOf, type NodeFacts, platformOf } from './node-facts.ts';
import { planIdentity } from './plan-identity.ts';
import { backoffMs, requestPausesMs } from './retry-schedule.ts';
import { shuffled, trustdEndpoints } from './trustd-endpoints.ts';

const node: NodeFacts = {
  mode: 'process',
  machineType: 'controlplane',
  hostname: 'node01',
  addresses: ['127.5.6.2'],
};
const config: NodeConfig = {
  machineType: 'controlplane',
  token: 'abcdef.0123456789abcdef',
  ca: { certificate: 'CA', key: 'KEY' },
  acceptedCAs: ['OLD', 'CA'],
  certSANs: ['192.0.2.7', 'api.example.org.', 'api.example.org', '2001:db8::1', '127.0.0.1'],
  clusterName: 'c',
  clusterEndpoint: 'https://127.5.6.2:6443',
  timeServers: [],
};

test('planIdentity() has a control plane issue what its daemons need', () => {
  const names = {
    dnsNames: ['api.example.org', 'node01'],
    ipAddresses: ['127.0.0.1', '127.5.6.2', '192.0.2.7', '2001:db8::1'],
  };
  const server = {
    commonName: 'node01',
    organizations: [],
    ...names,
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    lifetimeHours: 24,
  };
  assert.deepEqual(planIdentity(config, node), {
    kind: 'issue',
    issuer: { certificate: 'CA', key: 'KEY' },
    acceptedCAs: ['OLD', 'CA'],
    apidServer: server,
    apidClient: {
      ...server,
      organizations: ['os:impersonator'],
      dnsNames: [],
      ipAddresses: [],
      extendedKeyUsage: ['clientAuth'],
    },
    trustdServer: { ...server, keyUsage: ['digitalSignature', 'keyEncipherment'] },
  });
});

test('planIdentity() has a worker ask for its one certificate, even if its configuration holds a key', () => {
  const worker = { ...node, machineType: 'worker' } as const;
  const { kind, ...plan } = planIdentity({ ...config, machineType: 'worker' }, worker);
  assert.equal(kind, 'request');
  assert.deepEqual(Object.keys(plan).sort(), ['acceptedCAs', 'apidServer']);
});

test('trustdEndpoints() are the endpoint of the cluster and its control planes, addresses first, none twice', () => {
  const member = (machineType: MachineType, ...addresses: string[]) => ({
    hostname: 'x',
    addresses,
    machineType,
  });
  const members = [
    member(MachineType.MACHINE_TYPE_WORKER, '127.5.6.5'),
    member(MachineType.MACHINE_TYPE_CONTROL_PLANE, '127.5.6.3', 'fd00::3'),
    member(MachineType.MACHINE_TYPE_INIT, '127.5.6.2'),
  ];
  const hosts = (endpoint: string) =>
    trustdEndpoints(endpoint, members).map(({ host, port }) => `${host} ${port}`);
  assert.deepEqual(hosts('https://127.5.6.2:6443'), ['127.5.6.2 50001', '127.5.6.3 50001', 'fd00::3 50001']);
  assert.deepEqual(hosts('https://cluster.example.org:6443').at(-1), 'cluster.example.org 50001');
  assert.deepEqual(trustdEndpoints('https://[fd00::9]:6443', []), [{ host: 'fd00::9', port: 50001 }]);
  assert.deepEqual(trustdEndpoints('', []), []);
  assert.deepEqual(trustdEndpoints('no url', []), []);
});

test('shuffled() loses nothing and invents nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat()),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (values, stream) => {
        const result = shuffled(values, () => stream.next().value);
        assert.deepEqual(
          result.toSorted((a, b) => a - b),
          values.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});

test('isIpAddress() agrees with the one of Node', () => {
  const byte = fc.integer({ min: 0, max: 300 });
  const candidate = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.domain(),
    fc.string(),
    fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.')),
    fc.constantFrom(
      '',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.4.',
      '01.2.3.4',
      '::',
      ':',
      '1:2',
      'fe80::1%eth0',
      '0.0.0.0',
    ),
  );
  fc.assert(
    fc.property(candidate, (text) => {
      if (text.includes('%')) return;
      assert.equal(isIpAddress(text), isIP(text) !== 0, text);
    }),
  );
});

test('listenAddressOf() is one address for a node of processes and every address else', () => {
  assert.equal(listenAddressOf(node, 50000), '127.5.6.2:50000');
  assert.equal(listenAddressOf({ ...node, addresses: ['fd00::2'] }, 50000), '[fd00::2]:50000');
  assert.equal(listenAddressOf({ ...node, mode: 'metal' }, 50000), ':50000');
});

test('platformOf() shows processes as metal', () => {
  assert.deepEqual(
    (['process', 'container', 'metal'] as const).map((mode) => platformOf(mode).mode),
    ['metal', 'container', 'metal'],
  );
});

test('isRenewalDue() at half of the life and when the clock went back', () => {
  const due = (ageMs: number) => isRenewalDue(1_000_000, 1_000_000 + ageMs);
  assert.deepEqual(
    [due(0), due(renewalPeriodMs - 1), due(renewalPeriodMs), due(-1)],
    [false, false, true, true],
  );
});

test('the pauses of the certificate request and of the back-off are those of the reference', () => {
  assert.deepEqual(
    requestPausesMs(() => 0),
    [0, 1000, 3000, 7000, 15000, 31000],
  );
  assert.deepEqual(
    requestPausesMs(() => 0.999),
    [0, 1099, 3099, 7099, 15099, 31099],
  );
  assert.deepEqual([1, 2, 3, 100].map(backoffMs), [500, 750, 1125, 60_000]);
});
