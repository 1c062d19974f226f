// Calls of a control plane to all nodes of its cluster, as an administrator for as long as a roll-out needs it.
import type { NodeClient, TalosClient } from '@nodewright/client';
import { ports, roles } from '@nodewright/contract';
import { Fault, Secret } from '@nodewright/fault';
import { issueCertificate, validityFrom } from '@nodewright/pki';
import type { Telemetry } from '@nodewright/telemetry';
import { issuingKeyPair } from '../../base/resources/issuing-key-pair.ts';
import type { NodeView } from '../../base/resources/node-view.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';

/** The API of the nodes of the cluster. Disposing of it closes the connections. */
export interface NodeCalls extends Disposable {
  /** @throws Fault `failed-precondition` when this node holds no key of the authority */
  node(address: string): Promise<NodeClient>;
}

interface OpenedClient {
  readonly client: TalosClient;
  readonly sinceMs: number;
  /** The authority and the address of this node, which may change. */
  readonly issuer: string;
  readonly address: string;
}

export interface NodeCallsInit {
  readonly view: Pick<NodeView, 'configuration' | 'addresses'>;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  readonly telemetry: Telemetry;
}

const hourMs = 3_600_000;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * Calls nodes through the apid of this node. The key of the certificate is only in memory, and is replaced before the certificate ends.
 */
export function openNodeCalls({ view, now, telemetry }: NodeCallsInit): NodeCalls {
  let opened: OpenedClient | undefined;
  let opening: Promise<TalosClient> | undefined;
  let isClosed = false;
  const open = async (): Promise<TalosClient> => {
    const [address] = view.addresses();
    if (address === undefined) throw new Fault('failed-precondition', 'this node has no address yet');
    const issuer = issuingKeyPair(view);
    const [{ openTalosClient }, { certificate, key }] = await Promise.all([
      // Loaded by the first roll-out, so a node that drives none does not need the memory.
      import('@nodewright/client'),
      issueCertificate({
        issuer,
        subject: { organizations: [roles.admin] },
        keyUsage: ['digitalSignature'],
        extendedKeyUsage: ['clientAuth'],
        ...validityFrom(now(), (2 * rolloutLimits.certificateMs) / hourMs),
      }),
    ]);
    const host = address.includes(':') ? `[${address}]` : address;
    const client = openTalosClient({
      context: {
        ...{ endpoints: [`${host}:${ports.apid}`], nodes: [] },
        ...{ ca: base64(issuer.certificate), crt: base64(certificate), key: new Secret(base64(key)) },
      },
      ...{ telemetry, connectTimeoutMs: rolloutLimits.callMs },
    });
    if (isClosed) client[Symbol.dispose]();
    opened = { client, sinceMs: now(), issuer: issuer.certificate, address };
    return client;
  };
  return {
    async node(address) {
      const isFresh =
        opened !== undefined &&
        Math.abs(now() - opened.sinceMs) < rolloutLimits.certificateMs &&
        opened.address === view.addresses()[0] &&
        opened.issuer === issuingKeyPair(view).certificate;
      if (opened !== undefined && !isFresh) {
        opened.client[Symbol.dispose]();
        opened = undefined;
      }
      if (opened !== undefined) return opened.client.node(address);
      opening ??= open().finally(() => {
        opening = undefined;
      });
      return (await opening).node(address);
    },
    [Symbol.dispose]() {
      isClosed = true;
      opened?.client[Symbol.dispose]();
      opened = undefined;
    },
  };
}
