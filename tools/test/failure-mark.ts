import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The file in `folder` that marks a test file whose fixture failed. The test file's own process cannot detect
 * that itself.
 */
export function failureMark(folder: string, testFile: string): string {
  return join(folder, createHash('sha256').update(realpathSync(testFile)).digest('hex'));
}
