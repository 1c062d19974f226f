import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const checkout = join(import.meta.dirname, '..', '..');

/**
 * Copies the files that the images are made of, so that a concurrent build of the programs cannot change the
 * ids that a test compares. The copy has no repository, so the caller gives the time (`SOURCE_DATE_EPOCH`).
 * Disposing it removes the copy.
 */
export function copyCheckout(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'checkout-'));
  const parts = ['.dockerignore', '.npmrc', 'package-lock.json', '_out/dist', 'images'];
  for (const part of [
    ...parts,
    ...globSync(['node_modules/node-linux-*/bin/node', 'services/*/Dockerfile'], { cwd: checkout }),
  ])
    cpSync(join(checkout, part), join(path, part), { recursive: true });
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
