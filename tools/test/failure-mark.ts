import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The file in `folder` that says that a fixture of this test file has failed, which does not learn of it by itself. */
export function failureMark(folder: string, testFile: string): string {
  return join(folder, createHash('sha256').update(realpathSync(testFile)).digest('hex'));
}
