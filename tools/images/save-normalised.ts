import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDocker } from '@nodewright/provision/engine';
import { type NormalisedImages, type NormaliseRequest, normaliseImages } from './normalise-images.ts';

/** Saves images from the engine, given their names there, and removes the traces of their build. */
export async function saveNormalised(request: Omit<NormaliseRequest, 'saved'>): Promise<NormalisedImages> {
  const folder = mkdtempSync(join(tmpdir(), 'images-'));
  try {
    const file = join(folder, 'saved.tar');
    await runDocker(['save', '--output', file, ...request.names.keys()]);
    return normaliseImages({ ...request, saved: readFileSync(file) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
