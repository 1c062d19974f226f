import { Fault, Secret } from '@nodewright/fault';
import { naming, readInput } from '../../context/read-input.ts';

/** Paths of PEM files, relative to the working directory. */
export interface CredentialPaths {
  readonly ca?: string;
  readonly crt?: string;
  readonly key?: string;
}

/** The contents of the PEM files. */
export interface Credentials {
  readonly ca?: string;
  readonly crt?: string;
  readonly key?: Secret;
}

/**
 * Reads and checks the credentials of a context: the certificates must parse, the private key must be an Ed25519, ECDSA
 * or RSA key, and the key must belong to the certificate.
 *
 * @throws Fault that names the file
 */
export async function readCredentials(cwd: string, { ca, crt, key }: CredentialPaths): Promise<Credentials> {
  const { keyAlgorithmOf, loadPrivateKey, readCertificate, readCertificates } = await import(
    '@nodewright/pki'
  );
  const read = async <T>(flag: string, path: string, parse: (pem: string) => T) => {
    const pem = await readInput(cwd, path);
    return { pem, parsed: await naming(`${flag} ${JSON.stringify(path)}`, () => parse(pem)) };
  };
  const authority = ca === undefined ? undefined : await read('--ca', ca, allCertificates);
  const certificate = crt === undefined ? undefined : await read('--crt', crt, readCertificate);
  const privateKey = key === undefined ? undefined : await read('--key', key, usableKey);
  if (certificate && privateKey && !certificate.parsed.checkPrivateKey(privateKey.parsed)) {
    throw new Fault(
      'invalid-argument',
      `the key ${JSON.stringify(key)} does not belong to the certificate ${JSON.stringify(crt)}`,
    );
  }
  return {
    ...(authority === undefined ? {} : { ca: authority.pem }),
    ...(certificate === undefined ? {} : { crt: certificate.pem }),
    ...(privateKey === undefined ? {} : { key: new Secret(privateKey.pem) }),
  };

  /** `--ca` may hold several certificates: at least one is required, and every one must parse. */
  function allCertificates(pem: string) {
    readCertificate(pem);
    return readCertificates(pem);
  }

  function usableKey(pem: string) {
    const loaded = loadPrivateKey(pem);
    keyAlgorithmOf(loaded);
    return loaded;
  }
}
