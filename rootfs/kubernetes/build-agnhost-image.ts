import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture } from '../../tools/images/architecture.ts';
import { imageArchive } from '../node-image/image-archive.ts';
import { commitTime, unpackTools } from '../workshop.ts';
import { buildKubernetesImages } from './build-images.ts';
import { agnhostImage } from './image-table.ts';

/**
 * Writes the image of agnhost as an archive for `talosctl image import`, and returns its path.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function buildAgnhostImage(checkout: string, note: (line: string) => void): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'agnhost-image-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture() };
    const tools = await unpackTools(workshop);
    const given = { workshop, tools, epochSeconds: commitTime(checkout), note };
    const [built] = await buildKubernetesImages([agnhostImage], given);
    if (built === undefined) throw new Error('no image was built');
    const folder = join(checkout, '_out', 'image');
    const path = join(folder, 'agnhost.tar');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, Buffer.concat(imageArchive(...built)));
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
