import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';

/** Below the root: the certificate of the key that signs the image, and the sets for it. */
export const trustedCertificateFile = '/usr/lib/nodewright/extension-sets.pem';

/** The certificates that the image trusts to sign sets. @throws Fault `failed-precondition` when it has none */
export async function readTrustedCertificates(root: string): Promise<readonly X509Certificate[]> {
  try {
    return [new X509Certificate(await readFile(`${root}${trustedCertificateFile}`))];
  } catch (error) {
    throw new Fault('failed-precondition', 'this image has no certificate for sets of extensions', {
      cause: error,
    });
  }
}

/** The root hash of the image that runs, by the kernel's command line; empty when it has none. */
export const imageRootHashOf = (commandLine: string): string =>
  /(?:^|\s)nodewright\.roothash=([0-9a-f]{64})(?:\s|$)/.exec(commandLine)?.[1] ?? '';
