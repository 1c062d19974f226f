import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import type { OciImage } from '../image/oci-image.ts';
import { imageArchive } from '../node-image/image-archive.ts';
import { commitTime, unpackTools } from '../workshop.ts';
import { buildKubernetesImages } from './build-images.ts';
import { agnhostImage } from './image-table.ts';

export interface AgnhostImage {
  readonly image: OciImage;
  /** Path of the image as an archive for `talosctl image import`. */
  readonly archive: string;
}

/**
 * Builds the image of agnhost.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function buildAgnhostImage(
  checkout: string,
  note: (line: string) => void,
): Promise<AgnhostImage> {
  const work = mkdtempSync(join(tmpdir(), 'agnhost-image-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture() };
    const tools = await unpackTools(workshop);
    const given = { workshop, tools, epochSeconds: commitTime(checkout), note };
    const [built] = await buildKubernetesImages([agnhostImage], given);
    if (built === undefined) throw new Error('no image was built');
    const folder = join(checkout, '_out', 'image');
    const archive = join(folder, 'agnhost.tar');
    mkdirSync(folder, { recursive: true });
    writeFileSync(archive, Buffer.concat(imageArchive(...built)));
    return { image: built[1], archive };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
