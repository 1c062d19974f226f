import type { ClientHttp2Session } from 'node:http2';
import { ports } from '@nodewright/contract';
import { callHeaders } from '../../bench/load/call.ts';
import type { LoadTarget } from '../../bench/load/load-job.ts';
import { openSession } from '../../bench/load/open-session.ts';
import type { AttackTarget, CertificateKind } from '../target/attack-target.ts';

export interface Attacker {
  /** To the endpoint of the cluster. The caller destroys it. */
  readonly session: ClientHttp2Session;
  /** Of a call of the method. */
  readonly headers: ReturnType<typeof callHeaders>;
}

/** Connects to apid with a certificate. Undefined when the server still refuses this client because of an earlier attack. */
export async function openAttacker(
  target: AttackTarget,
  kind: CertificateKind,
  call: { readonly method: string; readonly metadata: readonly (readonly [string, string])[] },
): Promise<Attacker | undefined> {
  const { certificate, key } = target.certificates[kind];
  const address: LoadTarget = {
    ...{ kind: 'tls', host: target.entry.address, port: ports.apid, ca: target.ca },
    ...{ certificate, key },
  };
  const session = await openSession(address).catch(() => undefined);
  if (session === undefined) return undefined;
  return { session, headers: callHeaders({ kind: 'probe', target: address, ...call }) };
}
