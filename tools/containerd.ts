// `make containerd`: fetches the real containerd and runc, which the tests of the containerd driver start.
import { join } from 'node:path';
import { ensureContainerd } from './containerd/ensure-containerd.ts';

try {
  const { folder } = ensureContainerd(join(import.meta.dirname, '..'));
  process.stdout.write(`containerd: ${folder}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
