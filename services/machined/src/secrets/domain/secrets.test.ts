import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apiServiceConfig } from './api-service-config.ts';
import { apiCertSans, maintenanceCertSans } from './cert-sans.ts';
import {
  apidClientCertificate,
  apidServerCertificate,
  maintenanceServerCertificate,
  trustdServerCertificate,
} from './certificate-specs.ts';
import { isSiderolinkAddress, maintenanceConfig } from './maintenance-config.ts';
import { osRootFrom } from './os-root.ts';

const config = {
  machineType: 'controlplane',
  token: 'abcdef.0123456789abcdef',
  issuingCA: { certificate: 'CA', key: 'KEY' },
  acceptedCAs: ['OLD', 'CA'],
  certSANs: ['192.0.2.7', 'api.example.org.', '', '2001:db8::1'],
} as const;
const crts = (...texts: string[]) => texts.map((crt) => ({ crt }));

test('osRootFrom() has the accepted CAs in their order, the issuing one last, and separates names from addresses', () => {
  assert.deepEqual(osRootFrom({ ...config, acceptedCAs: ['OLD', 'OLDER'] }), {
    issuingCA: { crt: 'CA', key: 'KEY' },
    acceptedCAs: crts('OLD', 'OLDER', 'CA'),
    certSANIPs: ['192.0.2.7', '2001:db8::1'],
    certSANDNSNames: ['api.example.org'],
    token: config.token,
  });
});

test('osRootFrom() has an issuing CA only on control planes with its key, and requires at least one CA', () => {
  const issuer = (change: object) => osRootFrom({ ...config, ...change })?.issuingCA;
  assert.deepEqual(
    [
      issuer({ machineType: 'init' }),
      issuer({ machineType: 'worker' }),
      issuer({ machineType: 'unknown' }),
      issuer({ issuingCA: { certificate: 'CA' } }),
    ],
    [{ crt: 'CA', key: 'KEY' }, undefined, undefined, undefined],
  );
  assert.deepEqual(osRootFrom({ ...config, issuingCA: undefined })?.acceptedCAs, crts('OLD', 'CA'));
  assert.equal(osRootFrom({ ...config, issuingCA: undefined, acceptedCAs: [] }), undefined);
});

const hostname = { hostname: 'node01', domainname: 'example.org' };
const addresses = { addresses: ['10.5.0.2/24', 'fd00::2/64', '10.5.0.2/32'], sortAlgorithm: 'v1' } as const;

test('apiCertSans() returns sorted names and addresses without duplicates or the name localhost', () => {
  const root = { certSANIPs: ['192.0.2.7', '127.0.0.1'], certSANDNSNames: ['api.example.org', 'node01'] };
  assert.deepEqual(apiCertSans(root, hostname, addresses), {
    ips: ['10.5.0.2', '127.0.0.1', '192.0.2.7', 'fd00::2'],
    dnsNames: ['api.example.org', 'node01', 'node01.example.org'],
    fqdn: 'node01.example.org',
  });
});

test('maintenanceCertSans() needs no hostname, and has both loopback addresses', () => {
  assert.deepEqual(maintenanceCertSans(undefined, addresses), {
    ips: ['10.5.0.2', '127.0.0.1', '::1', 'fd00::2'],
    dnsNames: [],
    fqdn: '',
  });
  const short = { hostname: 'node01', domainname: '' };
  assert.deepEqual(maintenanceCertSans(short, addresses).dnsNames, ['node01']);
});

test('the certificate specs of a node match those of Talos', () => {
  const sans = { ips: ['10.5.0.2'], dnsNames: ['node01'], fqdn: 'node01' };
  const server = {
    commonName: 'node01',
    organizations: [],
    dnsNames: ['node01'],
    ipAddresses: ['10.5.0.2'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    lifetimeHours: 24,
  };
  assert.deepEqual(apidServerCertificate(sans), server);
  assert.deepEqual(apidClientCertificate(sans), {
    ...server,
    organizations: ['os:impersonator'],
    dnsNames: [],
    ipAddresses: [],
    extendedKeyUsage: ['clientAuth'],
  });
  assert.deepEqual(trustdServerCertificate(sans), {
    ...server,
    keyUsage: ['digitalSignature', 'keyEncipherment'],
  });
  assert.deepEqual(maintenanceServerCertificate(sans), {
    ...server,
    commonName: 'maintenance-service.talos.dev',
  });
});

test('apiServiceConfig() matches the rules of Talos', () => {
  const listenAddress = ':50000';
  const maintenance = { listenAddress: '[fd00::3]:50000', reachableAddresses: [] };
  const [ours, theirs] = [{ skipVerifyingClientCert: false }, { skipVerifyingClientCert: true }];
  const flags = (on: boolean) => ({
    nodeRoutingDisabled: on,
    readonlyRoleMode: on,
    skipVerifyingClientCert: on,
  });
  const inMaintenance = { listenAddress: '[fd00::3]:50000', ...flags(true) };
  const rows: [Omit<Parameters<typeof apiServiceConfig>[0], 'listenAddress'>, object | undefined][] = [
    [{ isMaintenance: true, maintenance, certificates: theirs }, inMaintenance],
    [{ isMaintenance: true, maintenance, certificates: ours }, inMaintenance],
    [{ isMaintenance: true, maintenance, certificates: undefined }, inMaintenance],
    [{ isMaintenance: true, maintenance: undefined, certificates: ours }, undefined],
    [
      { isMaintenance: false, maintenance, certificates: ours },
      { listenAddress, ...flags(false) },
    ],
    [
      { isMaintenance: false, maintenance: undefined, certificates: ours },
      { listenAddress, ...flags(false) },
    ],
    [{ isMaintenance: false, maintenance, certificates: theirs }, undefined],
    [{ isMaintenance: false, maintenance, certificates: undefined }, undefined],
  ];
  assert.deepEqual(
    rows.map(([facts]) => apiServiceConfig({ ...facts, listenAddress })),
    rows.map(([, wanted]) => wanted),
  );
});

test('maintenanceConfig() waits for a SideroLink address if one is expected', () => {
  const facts = { addresses: ['10.5.0.2', 'fdae:41e4:649b:9303::1'], listenAddress: ':50000', port: 50000 };
  assert.deepEqual(
    [
      maintenanceConfig({ ...facts, hasSiderolink: false }),
      maintenanceConfig({ ...facts, hasSiderolink: true }),
      maintenanceConfig({ ...facts, hasSiderolink: true, addresses: ['10.5.0.2', 'fd00::3'] }),
    ],
    [
      { listenAddress: ':50000', reachableAddresses: facts.addresses },
      {
        listenAddress: '[fdae:41e4:649b:9303::1]:50000',
        reachableAddresses: ['fdae:41e4:649b:9303::1'],
      },
      undefined,
    ],
  );
});

test('isSiderolinkAddress() checks the first and the eighth byte, in any notation of the address', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.tuple(group, group, group, group, group, group, group, group), (groups) => {
      const full = groups.map((each) => each.toString(16)).join(':');
      // The URL parser writes the short form.
      const short = new URL(`http://[${full}]/`).hostname.slice(1, -1);
      const expected = (groups[0] & 0xff00) === 0xfd00 && (groups[3] & 0xff) === 3;
      assert.deepEqual([isSiderolinkAddress(full), isSiderolinkAddress(short)], [expected, expected]);
    }),
    { examples: [[[0xfd00, 0, 0, 3, 0, 0, 0, 1]], [[0xfd00, 0, 0, 0x103, 0, 0, 0, 0]]] },
  );
  assert.deepEqual(['10.5.0.2', 'name', '::', 'fd00::'].map(isSiderolinkAddress), [
    false,
    false,
    false,
    false,
  ]);
});
