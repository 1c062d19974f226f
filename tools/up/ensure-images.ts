import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tryDocker } from '@nodewright/provision/engine';
import { etcdImage, jaegerImage, stackImages } from '../../packages/provision/src/domain/stack-document.ts';
import { madeImagesFile, recordMade } from './made-images.ts';

/**
 * Builds the images that are missing. Rebuilds the suite's own when the programs have changed since this
 * checkout built them. Records which tags did not exist before. Throws an error of one line.
 */
export async function ensureImages(checkout: string, tag: string): Promise<void> {
  const suite = Object.values(stackImages(tag));
  const digestFile = join(checkout, '_out', 'images', `${tag}.programs`);
  const digest = digestPrograms(checkout);
  const recorded = readText(digestFile);
  // Without a record, assume that existing images were built from the current programs.
  const isStale = recorded !== '' && recorded !== digest;
  const lacksSuite = isStale || !(await areThere(suite));
  const lacksJaeger = !(await areThere([jaegerImage]));
  const lacksEtcd = !(await areThere([etcdImage]));
  if (!lacksSuite && !lacksJaeger && !lacksEtcd) return recordDigest(digestFile, digest);

  await recordMade(join(checkout, madeImagesFile), async () => {
    if (lacksJaeger) await runImagesTool(checkout, ['--jaeger']);
    if (lacksEtcd) await runImagesTool(checkout, ['--etcd']);
    if (lacksSuite) await runImagesTool(checkout, ['--tag', tag]);
  });
  recordDigest(digestFile, digest);
}

function recordDigest(path: string, digest: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, digest);
}

async function areThere(images: readonly string[]): Promise<boolean> {
  return (await tryDocker(['image', 'inspect', '--format', '{{.Id}}', ...images])).code === 0;
}

/** Sends the tool's output to standard error, because standard output ends with the table of the cluster. */
async function runImagesTool(checkout: string, args: readonly string[]): Promise<void> {
  const tool = spawn(process.execPath, [join(checkout, 'tools', 'images.ts'), ...args], {
    stdio: ['ignore', 2, 'inherit'],
  });
  const [code] = (await once(tool, 'close')) as [number | null];
  if (code !== 0) throw new Error('the images could not be made');
}

function digestPrograms(checkout: string): string {
  const folder = join(checkout, '_out', 'dist');
  const hash = createHash('sha256');
  for (const file of globSync('*/*.cjs', { cwd: folder }).sort()) {
    // These two run on the host, not in an image.
    if (/^(process-supervisor|docker-keeper)\//.test(file)) continue;
    hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
  }
  for (const file of globSync(['services/*/Dockerfile', 'images/*/Dockerfile'], { cwd: checkout }).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(checkout, file)));
  }
  return hash.digest('hex');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
