import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiServiceConfig } from './api-service-config.ts';
import { apiCertSans, maintenanceCertSans } from './cert-sans.ts';
import {
  apidClientCertificate,
  apidServerCertificate,
  maintenanceServerCertificate,
  trustdServerCertificate,
} from './certificate-specs.ts';
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
