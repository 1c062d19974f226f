import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tryDocker } from '@nodewright/provision/engine';
import { etcdImage, jaegerImage, stackImages } from '../../packages/provision/src/domain/stack-document.ts';
import { listTags, readMade, tagsMade, writeMade } from './made-images.ts';

/** Below the checkout. */
export const madeImagesFile = join('_out', 'images', 'made.json');

/**
 * Makes the images that are missing, and the suite's own again when the programs have changed since this checkout made
 * them; writes down which tags were not there before. Throws one line of what failed.
 */
export async function ensureImages(checkout: string, tag: string): Promise<void> {
  const suite = Object.values(stackImages(tag));
  const digestFile = join(checkout, '_out', 'images', `${tag}.programs`);
  const digest = digestPrograms(checkout);
  const recorded = readText(digestFile);
  // Images that someone else made are taken for those of the programs that are there now.
  const isStale = recorded !== '' && recorded !== digest;
  const lacksSuite = isStale || !(await areThere(suite));
  const lacksJaeger = !(await areThere([jaegerImage]));
  const lacksEtcd = !(await areThere([etcdImage]));
  if (!lacksSuite && !lacksJaeger && !lacksEtcd) return recordDigest(digestFile, digest);

  const path = join(checkout, madeImagesFile);
  const before = await listTags();
  try {
    if (lacksJaeger) await runImagesTool(checkout, ['--jaeger']);
    if (lacksEtcd) await runImagesTool(checkout, ['--etcd']);
    if (lacksSuite) await runImagesTool(checkout, ['--tag', tag]);
  } finally {
    writeMade(path, tagsMade(readMade(path), before, await listTags()));
  }
  recordDigest(digestFile, digest);
}

function recordDigest(path: string, digest: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, digest);
}

async function areThere(images: readonly string[]): Promise<boolean> {
  return (await tryDocker(['image', 'inspect', '--format', '{{.Id}}', ...images])).code === 0;
}

/** Its own words go to our standard error: what is asked of us ends with the table of the cluster. */
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
    // The command line and the supervisors run on the host.
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
