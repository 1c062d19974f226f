import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsAfter, type ServiceFacts, usableFacts } from './service-facts.ts';

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
    rows.map(([before, isSameState]) => factsAfter(before, nothing, isSameState).config !== undefined),
    rows.map(([, , stays]) => stays),
  );
});

test('factsAfter() keeps removed certificates and adopts everything that is new', () => {
  const next = { ...nothing, config: config(true), hostname: { hostname: 'a', domainname: '' } };
  assert.deepEqual(factsAfter(normal, next, true), { ...next, certificates: normal.certificates });
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
