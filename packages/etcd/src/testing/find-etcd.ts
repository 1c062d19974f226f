import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The programs of a real etcd. */
export interface EtcdProgramPaths {
  readonly etcd: string;
  readonly etcdctl: string;
  readonly etcdutl: string;
}

/** The programs that `make etcd` has fetched for this checkout. */
export function findEtcd(): EtcdProgramPaths | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const tools = join(folder, '_out', 'tools', 'etcd');
    if (!existsSync(join(tools, 'etcd'))) continue;
    return {
      etcd: join(tools, 'etcd'),
      etcdctl: join(tools, 'etcdctl'),
      etcdutl: join(tools, 'etcdutl'),
    };
  }
  return undefined;
}

/** The value for `skip` of a test: why it cannot run with a real etcd here, or `false`. */
export function skipWithoutEtcd(): string | false {
  return findEtcd() === undefined ? 'a real etcd is missing: make etcd' : false;
}
