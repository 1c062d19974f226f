import type { TarItem } from '@nodewright/build/archives';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';

/** A test gives a pod the user of this number, and expects its groups. Source: Kubernetes: images of the end-to-end tests. */
const passwd = `root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/sbin/nologin
user-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh
`;
const group = `root:x:0:root
nobody:x:65534:
user-defined-in-image:x:1000:
group-defined-in-image:x:50000:user-defined-in-image
`;

/**
 * What agnhost expects in its image besides itself: users, a folder for uploads, its second name, and a certificate with which it
 * serves TLS. Tests do not verify the certificate. Each build makes another one, so no key is kept anywhere.
 */
export async function agnhostFiles(): Promise<TarItem[]> {
  const { certificate, key } = await servingCertificate();
  return [
    { name: 'agnhost-2', mode: 0o777, content: { kind: 'link', target: 'agnhost' } },
    { name: 'uploads', mode: 0o755, content: { kind: 'folder' } },
    file('etc/passwd', passwd),
    file('etc/group', group),
    file('localhost.crt', certificate),
    file('localhost.key', key),
  ];
}

const file = (name: string, text: string): TarItem => ({
  name,
  content: { kind: 'file', data: [Buffer.from(text)] },
});

async function servingCertificate() {
  const notBefore = new Date();
  return issueCertificate({
    issuer: await generateCertificateAuthority({
      algorithm: 'ecdsa-p256',
      organization: 'agnhost',
      notBefore,
    }),
    subject: { commonName: 'localhost' },
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1', '::1'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    ...{ notBefore, lifetimeHours: 24 * 365 },
  });
}
