import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';

/** Below the root: the certificate of the key that signs the image and the sets for it, and those of further keys. */
export const trustedCertificateFile = '/usr/lib/nodewright/extension-sets.pem';

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates that the image trusts to sign sets. @throws Fault `failed-precondition` when it has none */
export async function readTrustedCertificates(root: string): Promise<readonly X509Certificate[]> {
  try {
    const text = await readFile(`${root}${trustedCertificateFile}`, 'latin1');
    const certificates = text.match(certificateForm)?.map((pem) => new X509Certificate(pem)) ?? [];
    if (certificates.length === 0) throw new Error('there is no certificate in PEM');
    return certificates;
  } catch (error) {
    throw new Fault('failed-precondition', 'this image has no certificate for sets of extensions', {
      cause: error,
    });
  }
}

/** The root hash of the image that runs, by the kernel's command line; empty when it has none. */
export const imageRootHashOf = (commandLine: string): string =>
  /(?:^|\s)nodewright\.roothash=([0-9a-f]{64})(?:\s|$)/.exec(commandLine)?.[1] ?? '';
