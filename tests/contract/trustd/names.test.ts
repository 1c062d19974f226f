// trustd signs no name or address that is reserved: it calls machined, which knows them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckCertificateRequest } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MembershipServiceDefinition } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { createCertificateRequest, parseCertificate } from '@nodewright/pki';
import { createClient, Metadata } from 'nice-grpc';
import { dialTrustd, requestCertificate, startTrustd, statusOf, token } from './harness.ts';

test('Certificate has machined check the names, omits those that it withholds and fails when it refuses', async () => {
  const asked: CheckCertificateRequest[] = [];
  await using trustd = await startTrustd({
    async checkCertificate(request) {
      asked.push(request);
      if (request.commonName === 'taken')
        throw new Fault('permission-denied', '"taken" belongs to node "node02"');
      return { withheldNames: ['node04'], withheldAddresses: ['10.5.0.5'] };
    },
  });
  const { ca } = trustd;
  using channel = dialTrustd(await trustd.port(), ca.certificate);
  const requestFor = async (commonName: string) =>
    (
      await createCertificateRequest({
        subject: { commonName },
        dnsNames: ['node04', 'node04.example', '*.example'],
        ipAddresses: ['10.5.0.5', '10.5.0.6'],
        like: ca.certificate,
      })
    ).request;
  const { crt } = await requestCertificate(channel, await requestFor('node04.example'));
  const { dnsNames, ipAddresses } = parseCertificate(crt);
  assert.deepEqual({ dnsNames, ipAddresses }, { dnsNames: ['node04.example'], ipAddresses: ['10.5.0.6'] });
  assert.deepEqual(asked, [
    {
      commonName: 'node04.example',
      dnsNames: ['node04', 'node04.example'],
      addresses: ['10.5.0.5', '10.5.0.6'],
      callerAddress: '127.0.0.1',
    },
  ]);
  assert.deepEqual(await statusOf(requestCertificate(channel, await requestFor('taken'))), [
    7,
    '"taken" belongs to node "node02"',
  ]);
  const { checkCertificate } = createClient(MembershipServiceDefinition, channel);
  const [code] = await statusOf(checkCertificate({}, { metadata: Metadata({ token }) }));
  assert.equal(code, 12);
});
