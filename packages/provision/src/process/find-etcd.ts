import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '@nodewright/fault';
import { etcdVariable } from '../domain/daemon-environment.ts';

/** The programs of etcd, absolute paths. */
export interface EtcdPrograms {
  readonly etcd: string;
  readonly etcdutl: string;
}

/**
 * Where etcd is: in the folder that the environment names, else where `make etcd` puts it, beside the folder of the
 * bundles. Undefined: nodes do without.
 *
 * @throws Fault `failed-precondition` when the folder that is named has no etcd
 */
export function findEtcd(
  distFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): EtcdPrograms | undefined {
  const named = environment[etcdVariable] ?? '';
  if (named === 'none') return undefined;
  const folder = named === '' ? join(dirname(resolve(distFolder)), 'tools', 'etcd') : resolve(named);
  const programs = { etcd: join(folder, 'etcd'), etcdutl: join(folder, 'etcdutl') };
  if (existsSync(programs.etcd)) return programs;
  if (named === '') return undefined;
  throw new Fault('failed-precondition', `${etcdVariable} names ${folder}, where there is no etcd`);
}
