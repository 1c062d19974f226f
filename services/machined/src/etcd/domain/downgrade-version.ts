import { Fault } from '@nodewright/fault';
import { isAtLeast } from './etcd-version.ts';

/** The oldest target version of a downgrade. Source: Talos v1.14: EtcdDowngradeValidate. */
const oldest = { major: 3, minor: 5 } as const;
/** The first release that completes a downgrade. Older ones accept the call but never finish it. */
const firstAble = { major: 3, minor: 6 } as const;

/**
 * Validates the target version of a downgrade. Source: Talos v1.14: etcd downgrade.
 *
 * @throws Fault `invalid-argument`
 */
export function checkDowngradeVersion(version: string): void {
  const [major = '', minor = '', ...rest] = version.split('.');
  if (version === '') throw invalid('version is required for etcd downgrade');
  if (minor === '' || rest.length > 0) throw invalid('version should be in MAJOR.MINOR format');
  if (!/^\d+$/.test(major)) throw invalid('major version should be a number');
  if (!/^\d+$/.test(minor)) throw invalid('minor version should be a number');
  if (!isAtLeast({ major: Number(major), minor: Number(minor) }, oldest.major, oldest.minor))
    throw invalid('etcd downgrade is only supported to 3.5 and later versions');
}

const invalid = (message: string) => new Fault('invalid-argument', message);

/**
 * Why the running etcd cannot prepare a downgrade; `undefined` when it can.
 *
 * @param running its version, such as `3.7.3`
 */
export function downgradeProblem(running: string): string | undefined {
  const [major, minor] = running.split('.').map(Number);
  const version = { major: major ?? 0, minor: minor ?? 0 };
  if (isAtLeast(version, firstAble.major, firstAble.minor)) return undefined;
  return `etcd ${running} cannot prepare a downgrade: members of version ${firstAble.major}.${firstAble.minor} or later can`;
}
