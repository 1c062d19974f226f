import { metadataKeys, ports, roles } from '@nodewright/contract';
import type { ClusterServiceImplementation } from '@nodewright/contract/gen/cluster/cluster.ts';
import { Fault, Secret } from '@nodewright/fault';
import { issueCertificate, validityFrom } from '@nodewright/pki';
import type { Telemetry } from '@nodewright/telemetry';
import { rolesFromMetadata } from '../../access/domain/caller-roles.ts';
import { issuingKeyPair } from '../../base/resources/issuing-key-pair.ts';
import type { NodeView } from '../../base/resources/node-view.ts';
import {
  type ClusterNode,
  healthTimeoutMs,
  kubernetesEndpoint,
  nodesToCheck,
  ownEndpoints,
} from '../domain/health-request.ts';

export interface ClusterHealthInit {
  readonly view: Pick<NodeView, 'configuration' | 'addresses'>;
  /** The members of the cluster that this node knows. */
  readonly members: () => Promise<readonly ClusterNode[]>;
  /** The kubeconfig of this node for an administrator; `undefined` when it has none. */
  readonly kubeconfig: () => Promise<string | undefined>;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  readonly telemetry: Telemetry;
  readonly stopSignal: AbortSignal;
}

const hourMs = 3_600_000;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * Implements HealthCheck: calls the nodes of the cluster over the API, with a reader certificate that is
 * issued for this check, and Kubernetes with the credentials of the node. Checks of parts that do not run are reported as skipped.
 */
export function createClusterHealth(init: ClusterHealthInit): ClusterServiceImplementation {
  return {
    async *healthCheck(request, context) {
      const [address = ''] = init.view.addresses();
      const members = await init.members();
      const nodes = nodesToCheck(request, members, address);
      const timeoutMs = healthTimeoutMs(request);
      const caller = rolesFromMetadata(context.metadata.getAll(metadataKeys.role));
      const endpoint = kubernetesEndpoint(request, {
        isAdmin: caller.has(roles.admin),
        own: ownEndpoints(init.view.configuration()?.cluster, members),
      });
      // The client is loaded by the first check, so a node that runs no check does not need the memory.
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
        // Nodes that the request names stay the same.
        rediscover: async () => nodesToCheck(request, await init.members(), address),
        node: (name) => talos.node(name),
        timeoutMs,
        kubernetesEndpoint: endpoint,
        // The reader that calls the nodes may not request one.
        async kubeconfig() {
          const text = await init.kubeconfig();
          if (text === undefined) throw new Fault('failed-precondition', 'it has no CA of Kubernetes');
          return text;
        },
        signal: AbortSignal.any([context.signal, stopSignal]),
      });
      try {
        for await (const message of lines) yield { message };
      } catch (error) {
        // Clients treat a cancelled check as one that the user stopped, so an ending node answers UNAVAILABLE
        // instead.
        if (!stopSignal.aborted || context.signal.aborted) throw error;
        throw new Fault(
          'unavailable',
          'this node stops before the check has finished: ask another control plane',
        );
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
    ...validityFrom(now(), 1 + timeoutMs / hourMs),
  });
  return { ca: base64(issuer.certificate), crt: base64(certificate), key: new Secret(base64(key)) };
}
