import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCertificateRequest } from '@nodewright/pki';
import { dialTrustd, requestCertificate, startTrustd, statusOf } from './harness.ts';

test('each request is logged in one line with peer, subject, names, addresses and what was removed', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  using channel = dialTrustd(await trustd.port(), ca.certificate);
  const { request } = await createCertificateRequest({
    subject: { commonName: 'node04', organizations: ['os:admin'] },
    dnsNames: ['node04'],
    ipAddresses: ['10.5.0.5'],
    like: ca.certificate,
  });
  const plain = await createCertificateRequest({ subject: { commonName: 'node05' }, like: ca.certificate });
  await requestCertificate(channel, request);
  await requestCertificate(channel, plain.request);
  await statusOf(requestCertificate(channel, 'hello'));
  await statusOf(requestCertificate(channel, request, 'wrong'));
  await trustd.logged('request finished', 4);

  const lines = trustd.process.lines().filter(({ msg }) => msg === 'request finished');
  const shown = lines.map(({ method, code, error, peer, subject, dnsNames, ipAddresses, ...rest }) => {
    const from = String(peer).replace(/:\d+$/, '');
    return {
      method,
      code,
      error,
      from,
      subject,
      dnsNames,
      ipAddresses,
      stripped: rest.strippedOrganizations,
    };
  });
  const common = { method: '/securityapi.SecurityService/Certificate', from: '127.0.0.1' };
  const unread = { subject: undefined, dnsNames: undefined, ipAddresses: undefined, stripped: undefined };
  assert.deepEqual(shown, [
    {
      ...common,
      code: 'OK',
      error: undefined,
      subject: 'node04',
      dnsNames: ['node04'],
      ipAddresses: ['10.5.0.5'],
      stripped: ['os:admin'],
    },
    {
      ...common,
      code: 'OK',
      error: undefined,
      subject: 'node05',
      dnsNames: [],
      ipAddresses: [],
      stripped: undefined,
    },
    { ...common, ...unread, code: 'InvalidArgument', error: 'failed to decode CSR' },
    { ...common, ...unread, code: 'Unauthenticated', error: 'invalid token' },
  ]);
});
