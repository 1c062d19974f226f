import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '@nodewright/fault';
import { etcdVariable } from '../domain/daemon-environment.ts';

/** Absolute paths of the programs of etcd. */
export interface EtcdPrograms {
  readonly etcd: string;
  readonly etcdutl: string;
}

/**
 * Finds etcd in the folder that the environment names, else where `make etcd` puts it, next to the folder of
 * the bundles. Returns `undefined` when nodes run without etcd. Links are resolved: `make etcd` may point its
 * link to another version, and nodes that run must not meet that version when they restart their etcd.
 *
 * @throws Fault `failed-precondition` when the named folder has no etcd
 */
export function findEtcd(
  distFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): EtcdPrograms | undefined {
  const named = environment[etcdVariable] ?? '';
  if (named === 'none') return undefined;
  const folder = named === '' ? join(dirname(resolve(distFolder)), 'tools', 'etcd') : resolve(named);
  if (existsSync(join(folder, 'etcd'))) {
    const real = realpathSync(folder);
    return { etcd: join(real, 'etcd'), etcdutl: join(real, 'etcdutl') };
  }
  if (named === '') return undefined;
  throw new Fault('failed-precondition', `${etcdVariable} is ${folder}, but this folder has no etcd`);
}
