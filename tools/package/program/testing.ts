// For tests: a package of a few small files.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { manifestName } from './package-manifest.ts';

export function temporaryFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param contents by path; paths below `bin/` are programs */
export function writePackage(folder: string, contents: Readonly<Record<string, string>>): void {
  const files = Object.entries(contents).map(([path, text]) => {
    const isProgram = path.startsWith('bin/');
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: isProgram ? 0o755 : 0o644 });
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { path, sizeBytes: Buffer.byteLength(text), sha256, isProgram };
  });
  writeFileSync(join(folder, manifestName), JSON.stringify({ version: '0.1.0', commit: 'abc', files }));
}
