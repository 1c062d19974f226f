import { ports, roles } from '@nodewright/contract';
import type { ClusterServiceImplementation } from '@nodewright/contract/gen/cluster/cluster.ts';
import { Fault, Secret } from '@nodewright/fault';
import { issueCertificate } from '@nodewright/pki';
import type { Telemetry } from '@nodewright/telemetry';
import { issuingKeyPair } from '../../base/resources/issuing-key-pair.ts';
import type { NodeView } from '../../base/resources/node-view.ts';
import { type ClusterNode, healthTimeoutMs, nodesToCheck } from '../domain/health-request.ts';

export interface ClusterHealthInit {
  readonly view: Pick<NodeView, 'configuration' | 'addresses'>;
  /** The nodes of the cluster, as far as this node knows. */
  readonly members: () => Promise<readonly ClusterNode[]>;
  /** Unix ms. */
  readonly now: () => number;
  readonly telemetry: Telemetry;
  readonly stopSignal: AbortSignal;
}

const hourMs = 3_600_000;
/** The clocks of other nodes may be a little behind. */
const clockToleranceMs = 60_000;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * HealthCheck: asks the nodes of the cluster over the API, as a reader whose certificate is issued for the occasion.
 * What is not there to be asked, etcd and Kubernetes, is said to be skipped.
 */
export function createClusterHealth(init: ClusterHealthInit): ClusterServiceImplementation {
  return {
    async *healthCheck(request, context) {
      const [address = ''] = init.view.addresses();
      const nodes = nodesToCheck(request, await init.members(), address);
      const timeoutMs = healthTimeoutMs(request);
      // Loaded by the first check: a node that nobody checks does without a client.
      const [{ openTalosClient }, { checkHealth }] = await Promise.all([
        import('@nodewright/client'),
        import('@nodewright/client/health'),
      ]);
      const { telemetry, stopSignal } = init;
      const host = address.includes(':') ? `[${address}]` : address;
      const talosContext = {
        endpoints: [`${host}:${ports.apid}`],
        nodes: [],
        ...(await issueReader(init, timeoutMs)),
      };
      using talos = openTalosClient({ context: talosContext, telemetry });
      const lines = checkHealth({
        nodes,
        node: (name) => talos.node(name),
        timeoutMs,
        signal: AbortSignal.any([context.signal, stopSignal]),
      });
      try {
        for await (const message of lines) yield { message };
      } catch (error) {
        // Clients take a check that was cancelled for one that somebody has seen enough of.
        if (!stopSignal.aborted || context.signal.aborted) throw error;
        throw new Fault('unavailable', 'this node stops before the check is over: ask another control plane');
      }
    },
  };
}

async function issueReader(
  { view, now }: ClusterHealthInit,
  timeoutMs: number,
): Promise<{ ca: string; crt: string; key: Secret }> {
  const issuer = issuingKeyPair(view);
  const { certificate, key } = await issueCertificate({
    issuer,
    subject: { organizations: [roles.reader] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(now() - clockToleranceMs),
    lifetimeHours: 1 + timeoutMs / hourMs,
  });
  return { ca: base64(issuer.certificate), crt: base64(certificate), key: new Secret(base64(key)) };
}
