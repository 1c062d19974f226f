// A control plane that is down keeps its name: a worker that reports it gets neither the name, nor a
// certificate for it, nor the calls to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataKeys, ports } from '@nodewright/contract';
import { SecurityServiceDefinition } from '@nodewright/contract/gen/securityapi/security.ts';
import { MembershipServiceDefinition } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { faultFrom } from '@nodewright/fault';
import { createCertificateRequest } from '@nodewright/pki';
import { codecsOf, pointerTo } from '@nodewright/state';
import { etcdMembers, members, nodeKinds, osRootSecrets } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { ChannelCredentials, createChannel, createClient, Metadata } from 'nice-grpc';
import { openProcessCluster } from './process-cluster.ts';

/** More than the lease of a record, and a reserve for the test machine. */
const goneMs = 75_000;

test('a worker that reports the name of a control plane that was killed gets neither the name nor its calls', {
  skip: skipWithoutEtcd(),
}, async () => {
  await using cluster = await openProcessCluster({ controlPlanes: 3, workers: 1 }, { etcd: true });
  const [first, second] = cluster.controlPlanes;
  const [worker] = cluster.workers;
  assert.ok(first && second && worker);
  await using client = await cluster.client({ endpoints: [first.address] });
  const stateOf = (address: string) =>
    createStateClient({ client: client.node(address).state, codecs: codecsOf(nodeKinds) });
  const { memberID } = (await stateOf(second.address).get(pointerTo(etcdMembers))).spec;
  const { token, acceptedCAs } = (await stateOf(worker.address).get(pointerTo(osRootSecrets))).spec;

  await second.signal('machined', 'SIGSTOP');
  try {
    const isGone = async () =>
      (await stateOf(first.address).list(members)).every(({ metadata }) => metadata.id !== second.name);
    await eventually(isGone, { what: 'a list of members without the killed node', timeoutMs: goneMs });

    const acceptedCa = acceptedCAs.map(({ crt }) => crt).join('\n');
    const channel = createChannel(
      `${first.address}:${ports.trustd}`,
      ChannelCredentials.createSsl(Buffer.from(acceptedCa), null, null, {
        checkServerIdentity: () => undefined,
      }),
      { 'grpc.ssl_target_name_override': 'trustd' },
    );
    try {
      const metadata = Metadata({ [metadataKeys.token]: token });
      const report = createClient(MembershipServiceDefinition, channel).report(
        {
          node: {
            nodeId: 'stranger',
            // Nobody has it: the name is what it is refused for.
            addresses: ['127.255.0.9'],
            hostname: second.name,
            nodename: second.name,
            operatingSystem: 'Talos (v1.14.0)',
            machineType: MachineType.MACHINE_TYPE_WORKER,
          },
        },
        { metadata },
      );
      const frees = `talosctl etcd remove-member ${memberID}`;
      await assert.rejects(report, (error) => {
        assert.match(
          faultFrom(error).message,
          /"node02" belongs to control plane "node02", which does not answer/,
        );
        assert.ok(faultFrom(error).message.includes(frees), faultFrom(error).message);
        return true;
      });
      const { request: csr } = await createCertificateRequest({
        subject: { commonName: second.name },
        dnsNames: [second.name],
        like: acceptedCa,
      });
      const asked = createClient(SecurityServiceDefinition, channel).certificate(
        { csr: Buffer.from(csr) },
        { metadata },
      );
      await assert.rejects(asked, (error) => faultFrom(error).message.includes(frees));
    } finally {
      channel.close();
    }
    const called = await cluster.talosctl('-e', first.address, '-n', second.name, 'version');
    assert.notEqual(called.exitCode, 0);
    assert.match(called.stderr, /it is not a member of this cluster/);
  } finally {
    await second.signal('machined', 'SIGCONT');
  }
});
