import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCertificatesFile } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';

/**
 * The certificates of the key with which the build signs artefacts. Bundles of an earlier version lie there without them: such a
 * cluster is not upgraded.
 *
 * @throws Fault with the path when they are there and cannot be read
 */
export function buildCertificates(servicesFolder: string): string | undefined {
  const path = join(servicesFolder, buildCertificatesFile);
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `${path} cannot be read: ${message}`, { cause: error });
  }
}
