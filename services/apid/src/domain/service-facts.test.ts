import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { endOfKept, factsAfter, type ServiceFacts, usableFacts } from './service-facts.ts';

const now = Date.now();
const config = (isMaintenance: boolean) => ({
  listenAddress: ':50000',
  nodeRoutingDisabled: isMaintenance,
  readonlyRoleMode: isMaintenance,
  skipVerifyingClientCert: isMaintenance,
});
const certificates = (isMaintenance: boolean) => ({
  server: undefined,
  client: undefined,
  acceptedCAs: [],
  skipVerifyingClientCert: isMaintenance,
});
const nothing: ServiceFacts = {
  config: undefined,
  certificates: undefined,
  wait: undefined,
  hostname: undefined,
  addresses: undefined,
  members: [],
};
const normal: ServiceFacts = { ...nothing, config: config(false), certificates: certificates(false) };

test('factsAfter() drops a removed configuration, but keeps it after a restart of machined', () => {
  const rows: [ServiceFacts | undefined, boolean, boolean][] = [
    [normal, true, false],
    [normal, false, true],
    [undefined, true, false],
    [undefined, false, false],
  ];
  assert.deepEqual(
    rows.map(([before, isSameState]) => factsAfter(before, nothing, isSameState, now).config !== undefined),
    rows.map(([, , stays]) => stays),
  );
});

test('factsAfter() keeps removed certificates and adopts everything that is new', () => {
  const next = { ...nothing, config: config(true), hostname: { hostname: 'a', domainname: '' } };
  assert.deepEqual(factsAfter(normal, next, true, now), { ...next, certificates: normal.certificates });
});

test('usableFacts() is undefined when a part is missing and while the node leaves maintenance', () => {
  const isUsable = (facts: Partial<ServiceFacts>) => usableFacts({ ...nothing, ...facts }) !== undefined;
  assert.deepEqual(
    [
      isUsable({ config: config(false) }),
      isUsable({ certificates: certificates(false) }),
      isUsable({ config: config(false), certificates: certificates(true) }),
      isUsable({ config: config(true), certificates: certificates(false) }),
      isUsable({ config: config(true), certificates: certificates(true) }),
      isUsable(normal),
    ],
    [false, false, false, false, true, true],
  );
});

const notBefore = new Date(Date.now() - 60_000);
const newAuthority = () =>
  generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
const [cluster, own] = await Promise.all([newAuthority(), newAuthority()]);
const serverOf = async (issuer: typeof cluster) => {
  const { certificate, key } = await issueCertificate({
    ...{ issuer, subject: { commonName: 'node02' }, keyUsage: ['digitalSignature'], notBefore },
    ...{ extendedKeyUsage: ['serverAuth'], lifetimeHours: 1 },
  });
  return { crt: certificate, key };
};
const [issued, reissued, ownServer] = await Promise.all([cluster, cluster, own].map(serverOf));
const accepted = [{ crt: cluster.certificate }];
const wait = { reason: 'this worker waits' };

test('factsAfter() keeps the certificate that trustd issued when a restarted machined waits for another', () => {
  const worker = (server: typeof issued): ServiceFacts => ({
    ...normal,
    certificates: { ...certificates(false), server, acceptedCAs: accepted },
  });
  const waiting: ServiceFacts = { ...worker(ownServer), wait };
  const serverAfter = (before: ServiceFacts | undefined, next: ServiceFacts, nowMs = now) =>
    factsAfter(before, next, false, nowMs).certificates?.server;
  assert.equal(serverAfter(worker(issued), waiting), issued);
  // The same whatever of the two arrives first.
  assert.equal(serverAfter(worker(issued), worker(ownServer)), issued);
  assert.equal(serverAfter(waiting, worker(reissued)), reissued);
  assert.equal(serverAfter(worker(issued), worker(reissued)), reissued);
  assert.equal(serverAfter(undefined, waiting), ownServer);
  // A certificate that has ended counts as no certificate.
  const end = notBefore.getTime() + 3_600_000;
  assert.equal(serverAfter(worker(issued), waiting, end - 1001), issued);
  assert.equal(serverAfter(worker(issued), waiting, end), ownServer);
  const kept = factsAfter(worker(issued), waiting, false, now);
  assert.equal(endOfKept(kept, waiting.certificates), Math.floor(end / 1000) * 1000);
  assert.equal(endOfKept(waiting, waiting.certificates), undefined);
  // Nothing of a control plane, of maintenance, or of an authority that is no longer accepted is kept.
  const changed = (changes: Partial<NonNullable<ServiceFacts['certificates']>>): ServiceFacts => ({
    ...normal,
    certificates: { ...certificates(false), server: issued, acceptedCAs: accepted, ...changes },
  });
  assert.equal(serverAfter(changed({ client: issued }), waiting), ownServer);
  assert.equal(serverAfter(changed({ skipVerifyingClientCert: true }), waiting), ownServer);
  const others = { ...certificates(false), server: ownServer, acceptedCAs: [{ crt: own.certificate }] };
  assert.equal(serverAfter(worker(issued), { ...waiting, certificates: others }), ownServer);
});
