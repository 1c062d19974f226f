// Takes the programs of Kubernetes for nodes of processes out of public images, once, and links them where `make kubernetes` links what
// it builds: `node rootfs/fetch-kubernetes.ts`. Exits with 1, and one line that says why, when they have to be built, and with 130 when it
// was interrupted.
import { join } from 'node:path';
import { usePublicPrograms } from './kubernetes/public-programs.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
const isUsed = await usePublicPrograms({
  checkout: join(import.meta.dirname, '..'),
  environment: process.env,
  note: (line) => void process.stderr.write(`kubernetes: ${line}\n`),
  signal: stop.signal,
}).catch((error: unknown) => {
  if (!stop.signal.aborted) throw error;
  return false;
});
process.exitCode = stop.signal.aborted ? 130 : isUsed ? 0 : 1;
