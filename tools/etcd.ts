// `make etcd`: fetches the real etcd, which control planes of processes run and the tests start.
import { join } from 'node:path';
import { ensureEtcd } from '@nodewright/build/etcd';

try {
  const { version, fetched, etcd } = await ensureEtcd(join(import.meta.dirname, '..'));
  process.stdout.write(`etcd: ${version} ${fetched ? 'fetched' : 'is there'}, ${etcd}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
