import { isIP } from 'node:net';
import { Fault } from '@nodewright/fault';
import { InvalidArgumentError } from 'commander';

/** The longest organization name in a certificate. Source: RFC 5280, upper bounds. */
const maxOrganizationLength = 64;
const versionPattern = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;
const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const tokenPattern = /^[0-9a-z]{6}\.[0-9a-z]{16}$/;

const hasControlCharacters = (text: string) => /\p{Cc}/u.test(text);

function isDomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => labelPattern.test(label));
}

/** Parses the name of an organization, which is also the name of files in the working directory. */
export function parseOrganization(text: string): string {
  if (text.trim() === '' || text.includes('/') || hasControlCharacters(text)) {
    throw new InvalidArgumentError('It names the files as well: it must not be empty or contain a slash.');
  }
  if (text.length > maxOrganizationLength)
    throw new InvalidArgumentError(`It must have ${maxOrganizationLength} characters at most.`);
  return text;
}

/** Parses the path of a file without its extension. */
export function parseFileName(text: string): string {
  if (text.trim() === '' || text.endsWith('/') || hasControlCharacters(text))
    throw new InvalidArgumentError('It must be the name of a file.');
  return text;
}

/** Parses a Kubernetes version. It becomes an image tag, so it needs all three numbers. */
export function parseKubernetesVersion(text: string): string {
  if (!versionPattern.test(text))
    throw new InvalidArgumentError('It must be a version such as 1.37.0 or v1.37.0-rc.1.');
  return text.replace(/^v/, '');
}

/** Parses the domain of the cluster DNS. */
export function parseDnsDomain(text: string): string {
  if (!isDomain(text)) throw new InvalidArgumentError('It must be a domain such as cluster.local.');
  return text;
}

/** Checks one host name or address for an API certificate. */
export function checkAlternativeName(text: string): void {
  if (isIP(text) === 0 && !isDomain(text.replace(/^\*\./, '')))
    throw new InvalidArgumentError(`${JSON.stringify(text)} is neither a host name nor an address.`);
}

/** Parses the path of the disk to install to; an empty text means no disk. */
export function parseInstallDisk(text: string): string {
  if (text !== '' && !/^\/[\x21-\x7e]+$/.test(text))
    throw new InvalidArgumentError('It must be the path of a device, such as /dev/sda, or empty.');
  return text;
}

/** Checks the name of a cluster. @throws Fault `invalid-argument` */
export function checkClusterName(name: string): void {
  if (name.trim() !== '' && !hasControlCharacters(name)) return;
  const problem = name.trim() === '' ? 'it is empty' : 'it contains control characters';
  throw new Fault('invalid-argument', `invalid cluster name ${JSON.stringify(name)}: ${problem}`);
}

/**
 * Checks the bootstrap token with which Kubernetes nodes join. Source: Talos v1.14: secrets bundle, tokens.
 *
 * @throws Fault `invalid-argument` whose message does not contain the token
 */
export function checkBootstrapToken(token: string): void {
  if (tokenPattern.test(token)) return;
  throw new Fault(
    'invalid-argument',
    'flag --kubernetes-bootstrap-token: a token has 6 characters, a dot and 16 characters, each one of 0-9 and a-z',
  );
}
