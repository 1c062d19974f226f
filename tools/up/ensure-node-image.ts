import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeImages } from '@nodewright/build';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { madeImagesFile, recordMade } from './made-images.ts';

/**
 * Makes the image of nodes that are one container each: builds it when the programs are newer, and gives it to an engine that
 * lacks it.
 *
 * @throws Error of one line when it cannot be made
 */
export async function ensureNodeImage(checkout: string, kind: keyof typeof nodeImages): Promise<void> {
  const { name } = nodeImages[kind];
  const file = join(checkout, '_out', 'image', nodeImages[kind].file);
  const programs = join(checkout, '_out', 'dist', '.built');
  const isStale = !existsSync(file) || statSync(file).mtimeMs < statSync(programs).mtimeMs;
  const { code } = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', name]);
  if (!isStale && code === 0) return;
  await recordMade(join(checkout, madeImagesFile), async () => {
    if (isStale) await build(checkout, kind);
    else await runDocker(['load', '--quiet', '--input', file]);
  });
}

/** Sends the output to standard error, because standard output ends with the table of the cluster. */
async function build(checkout: string, kind: keyof typeof nodeImages): Promise<void> {
  const words = [join(checkout, 'rootfs', 'build-node-image.ts')];
  if (kind === 'kubernetes') words.push('--kubernetes');
  const tool = spawn(process.execPath, words, { stdio: ['ignore', 2, 'inherit'] });
  const [code] = (await once(tool, 'close')) as [number | null];
  if (code !== 0) throw new Error('the node image could not be made');
}
