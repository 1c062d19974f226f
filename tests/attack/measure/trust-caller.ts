import { metadataKeys, ports } from '@nodewright/contract';
import { CertificateRequest } from '@nodewright/contract/gen/securityapi/security.ts';
import { messagePrefix } from '@nodewright/h2';
import { createCertificateRequest } from '@nodewright/pki';
import { callHeaders } from '../../bench/load/call.ts';
import type { LoadTarget } from '../../bench/load/load-job.ts';
import { openSession } from '../../bench/load/open-session.ts';
import type { AttackTarget } from '../target/attack-target.ts';

const method = '/securityapi.SecurityService/Certificate';
/** A name that no node of the cluster has. */
const joiningName = 'joining.attack.test';

/**
 * A joining node with the right token. The returned function requests a certificate and rejects when it gets
 * none.
 */
export async function openTrustCaller({ entry, ca, token, bystander }: AttackTarget) {
  const target: LoadTarget = { kind: 'tls', host: entry.address, port: ports.trustd, ca, ...bystander };
  const { request } = await createCertificateRequest({
    algorithm: 'ed25519',
    subject: { commonName: joiningName },
    dnsNames: [joiningName],
  });
  const message = CertificateRequest.encode(
    CertificateRequest.create({ csr: Buffer.from(request) }),
  ).finish();
  const body = Buffer.concat([messagePrefix(message.length), message]);
  const headers = callHeaders({ kind: 'probe', target, method, metadata: [[metadataKeys.token, token]] });
  return async () => {
    const session = await openSession(target);
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stream = session.request(headers, { endStream: false });
      const judge = (fields: { 'grpc-status'?: string | undefined; 'grpc-message'?: string | undefined }) => {
        if (fields['grpc-status'] === '0') resolve();
        else if (fields['grpc-status'] !== undefined) {
          reject(new Error(`status ${fields['grpc-status']}: ${fields['grpc-message']}`));
        }
      };
      stream.on('response', judge);
      stream.on('trailers', judge);
      stream.on('data', () => {});
      stream.on('error', reject);
      stream.on('close', () => reject(new Error('the call ended without a status')));
      stream.end(body);
      await promise;
    } finally {
      session.destroy();
    }
  };
}
