import { isIP } from 'node:net';
import { Fault } from '@nodewright/fault';
import { InvalidArgumentError } from 'commander';

/** Longest organization that X.509 allows. Source: RFC 5280, upper bounds. */
const maxOrganizationLength = 64;
const versionPattern = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;
const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const tokenPattern = /^[0-9a-z]{6}\.[0-9a-z]{16}$/;

const hasControlCharacters = (text: string) => /\p{Cc}/u.test(text);

function isDomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => labelPattern.test(label));
}

/** Reads the value of an option that is an organization, and the name of files in the working folder. */
export function parseOrganization(text: string): string {
  if (text.trim() === '' || text.includes('/') || hasControlCharacters(text)) {
    throw new InvalidArgumentError(
      'It names the files as well: it must not be empty and have no slash in it.',
    );
  }
  if (text.length > maxOrganizationLength)
    throw new InvalidArgumentError(`It must have ${maxOrganizationLength} characters at most.`);
  return text;
}

/** Reads the value of an option that is the path of a file without its extension. */
export function parseFileName(text: string): string {
  if (text.trim() === '' || text.endsWith('/') || hasControlCharacters(text))
    throw new InvalidArgumentError('It must be the name of a file.');
  return text;
}

/** Reads the version of Kubernetes, which becomes the tag of its images: all three numbers are needed. */
export function parseKubernetesVersion(text: string): string {
  if (!versionPattern.test(text))
    throw new InvalidArgumentError('It must be a version such as 1.37.0 or v1.37.0-rc.1.');
  return text.replace(/^v/, '');
}

/** Reads the domain of the cluster DNS. */
export function parseDnsDomain(text: string): string {
  if (!isDomain(text)) throw new InvalidArgumentError('It must be a domain such as cluster.local.');
  return text;
}

/** Reads one name or address for the certificate of an API. */
export function checkAlternativeName(text: string): void {
  if (isIP(text) === 0 && !isDomain(text.replace(/^\*\./, '')))
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no host name and no address.`);
}

/** Reads the disk to install to; empty stands for none. */
export function parseInstallDisk(text: string): string {
  if (text !== '' && !/^\/[\x21-\x7e]+$/.test(text))
    throw new InvalidArgumentError('It must be the path of a device, such as /dev/sda, or empty.');
  return text;
}

/** Checks the name of a cluster. @throws Fault `invalid-argument` */
export function checkClusterName(name: string): void {
  if (name.trim() !== '' && !hasControlCharacters(name)) return;
  const problem = name.trim() === '' ? 'it is empty' : 'it has control characters in it';
  throw new Fault('invalid-argument', `invalid cluster name ${JSON.stringify(name)}: ${problem}`);
}

/**
 * Checks the token with which nodes of Kubernetes join. Source: Talos v1.14: secrets bundle, tokens.
 *
 * @throws Fault `invalid-argument`, which does not show the token
 */
export function checkBootstrapToken(token: string): void {
  if (tokenPattern.test(token)) return;
  throw new Fault(
    'invalid-argument',
    'flag --kubernetes-bootstrap-token: a token has 6 characters, a dot and 16 characters, each one of 0-9 and a-z',
  );
}
