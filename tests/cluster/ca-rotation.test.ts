// Rotates the CA of the API on a running cluster, as a client does it: the new CA is added, swapped in, and
// the old one removed, by ApplyConfiguration on one node after the other. No daemon restarts. Source: Talos
// v1.14: CA rotation.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTalosClient } from '@nodewright/client';
import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom, Secret } from '@nodewright/fault';
import { applyPatches, encodeConfiguration, loadConfiguration, parsePatch } from '@nodewright/machine-config';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { codecsOf, pointerTo } from '@nodewright/state';
import { machineConfigs, nodeKinds, osRootSecrets } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import type { Cluster, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

/** How long a node may be unreachable after a step, in milliseconds. */
const awayMs = 10_000;
const codecs = codecsOf(nodeKinds);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const daemonsOf = (node: Node) =>
  Promise.all([node.instanceOf('machined'), node.instanceOf('apid'), node.instanceOf('trustd')]);

/** A user with a certificate of one CA, who trusts server certificates of another. */
async function user(of: CertificateAndKey, trusting: CertificateAndKey): Promise<TalosconfigContext> {
  const { certificate, key } = await issueCertificate({
    issuer: of,
    subject: { organizations: ['os:admin'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(),
    lifetimeHours: 1,
  });
  return {
    ...(await cluster.context('os:admin')),
    ca: base64(trusting.certificate),
    crt: base64(certificate),
    key: new Secret(base64(key)),
  };
}

/** Applies the node's own configuration with a patch. */
async function apply(context: TalosconfigContext, { address }: Node, patches: readonly string[]) {
  using client = openTalosClient({ context, nodes: [address] });
  const node = client.node(address);
  const state = createStateClient({ client: node.state, codecs });
  const { spec } = await state.get(pointerTo(machineConfigs, 'v1alpha1'));
  const next = applyPatches(loadConfiguration(spec), patches.map(parsePatch));
  const data = Buffer.from(encodeConfiguration(next));
  await node.machine.applyConfiguration({ data, mode: Mode.NO_REBOOT });
}

/** Whether a new connection of this user reaches the node. */
async function answers(context: TalosconfigContext, { address }: Node): Promise<boolean> {
  using client = openTalosClient({ context, nodes: [address] });
  try {
    await client.node(address).machine.version({});
    return true;
  } catch (error) {
    const { kind, message } = faultFrom(error);
    assert.equal(kind, 'unavailable', message);
    return false;
  }
}

test('a cluster gets another CA in three steps, stays reachable, and restarts no daemon', async () => {
  const nodes = [...cluster.controlPlanes, ...cluster.workers];
  const [first] = nodes as [Node];
  const before = await Promise.all(nodes.map(daemonsOf));
  using admin = await cluster.client();
  const state = createStateClient({ client: admin.node(first.address).state, codecs });
  const root = (await state.get(pointerTo(osRootSecrets, 'os'))).spec;
  const old = { certificate: root.issuingCA?.crt ?? '', key: root.issuingCA?.key ?? '' };
  const next = await generateCertificateAuthority({
    organization: 'talos',
    algorithm: 'ed25519',
    notBefore: new Date(),
  });
  const [oldUser, added, swapped] = [await user(old, old), await user(next, old), await user(next, next)];
  assert.deepEqual([await answers(oldUser, first), await answers(added, first)], [true, false]);

  const accepted = (...authorities: CertificateAndKey[]) =>
    `machine:\n  acceptedCAs:\n${authorities.map(({ certificate }) => `    - crt: ${base64(certificate)}\n`).join('')}`;
  const noneAccepted = 'machine:\n  acceptedCAs:\n    $patch: delete\n';
  const issuing = ({ certificate, key }: CertificateAndKey, { type }: Node) =>
    `machine:\n  ca:\n    crt: ${base64(certificate)}\n${type === 'controlplane' ? `    key: ${base64(key)}\n` : ''}`;
  const steps: {
    name: string;
    by: TalosconfigContext;
    patches(node: Node): string[];
    verified: TalosconfigContext;
  }[] = [
    { name: 'add', by: oldUser, patches: () => [accepted(next)], verified: added },
    {
      name: 'swap',
      by: added,
      patches: (node) => [noneAccepted, accepted(old), issuing(next, node)],
      verified: swapped,
    },
    { name: 'drop', by: swapped, patches: () => [noneAccepted], verified: swapped },
  ];
  for (const { name, by, patches, verified } of steps) {
    for (const node of nodes) {
      // Between two nodes of one step, the target can be reached through either side of the exchange.
      const applied = async () => {
        const ways = by === verified ? [by] : [by, verified];
        for (const way of ways) {
          const fault = await apply(way, node, patches(node)).then(() => undefined, faultFrom);
          if (fault === undefined) return true;
          assert.equal(fault.kind, 'unavailable', fault.message);
        }
        return false;
      };
      await eventually(applied, { what: `step ${name} on ${node.name}`, timeoutMs: awayMs });
    }
    for (const node of nodes) {
      await eventually(() => answers(verified, node), {
        what: `${node.name} after step ${name}`,
        timeoutMs: awayMs,
      });
    }
  }

  for (const node of nodes) {
    await eventually(async () => !(await answers(oldUser, node)), {
      what: `${node.name} that knows the old CA no more`,
      timeoutMs: awayMs,
    });
  }
  using client = openTalosClient({ context: swapped, nodes: [] });
  for (const node of nodes) {
    const { spec } = await createStateClient({ client: client.node(node.address).state, codecs }).get(
      pointerTo(osRootSecrets, 'os'),
    );
    assert.deepEqual(
      spec.acceptedCAs.map(({ crt }) => crt),
      [next.certificate],
      node.name,
    );
  }
  assert.deepEqual(await Promise.all(nodes.map(daemonsOf)), before, 'nothing was started again');
});
