import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { nodePaths } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';

/** Below the root: the certificate of the key that signs the image and the sets for it, and those of further keys. */
export const trustedCertificateFile = nodePaths.trustedCertificates;

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The certificates that the image trusts to sign sets and artefacts.
 *
 * @throws Fault `failed-precondition` with the text when it has none
 */
export const readTrustedCertificates = (
  root: string,
  missing = 'this image has no certificate for sets of extensions',
): Promise<readonly X509Certificate[]> => readCertificates(`${root}${trustedCertificateFile}`, missing);

/** The certificates in a file of PEM. @throws Fault `failed-precondition` with the text when it has none */
export async function readCertificates(path: string, missing: string): Promise<readonly X509Certificate[]> {
  try {
    const text = await readFile(path, 'latin1');
    const certificates = text.match(certificateForm)?.map((pem) => new X509Certificate(pem)) ?? [];
    if (certificates.length === 0) throw new Error('there is no certificate in PEM');
    return certificates;
  } catch (error) {
    throw new Fault('failed-precondition', missing, { cause: error });
  }
}

/** The root hash of the image that runs, by the kernel's command line; empty when it has none. */
export const imageRootHashOf = (commandLine: string): string =>
  /(?:^|\s)nodewright\.roothash=([0-9a-f]{64})(?:\s|$)/.exec(commandLine)?.[1] ?? '';
