import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import type { CertificateFiles } from './serve-engine.ts';

export interface BenchFiles extends CertificateFiles {
  /** The body of a request: an empty message. */
  readonly body: string;
}

/** Writes a certificate for localhost, its key, and the body of a request into a folder. */
export async function writeBenchFiles(folder: string): Promise<BenchFiles> {
  const notBefore = new Date(Date.now() - 3_600_000);
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'bench',
    notBefore,
  });
  const { certificate, key } = await issueCertificate({
    issuer,
    subject: { commonName: 'bench' },
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 24,
  });
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  return {
    certificate: write('certificate', certificate),
    key: write('key', tlsPrivateKey(key)),
    body: write('body', Buffer.alloc(5)),
  };
}
