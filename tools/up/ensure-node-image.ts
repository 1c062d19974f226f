import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { nodeImage } from '../../rootfs/node-image/node-image.ts';

/**
 * Makes the image of nodes that are one container each: builds it when the programs are newer, and gives it to an engine that
 * lacks it.
 *
 * @throws Error of one line when it cannot be made
 */
export async function ensureNodeImage(checkout: string): Promise<void> {
  const file = join(checkout, '_out', 'image', 'node-image.tar');
  const programs = join(checkout, '_out', 'dist', '.built');
  if (!existsSync(file) || statSync(file).mtimeMs < statSync(programs).mtimeMs) return build(checkout);
  const { code } = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', nodeImage]);
  if (code !== 0) await runDocker(['load', '--quiet', '--input', file]);
}

/** Sends the output to standard error, because standard output ends with the table of the cluster. */
async function build(checkout: string): Promise<void> {
  const tool = spawn(process.execPath, [join(checkout, 'rootfs', 'build-node-image.ts')], {
    stdio: ['ignore', 2, 'inherit'],
  });
  const [code] = (await once(tool, 'close')) as [number | null];
  if (code !== 0) throw new Error('the node image could not be made');
}
