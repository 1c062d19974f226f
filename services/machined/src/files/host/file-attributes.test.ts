import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { createFileAttributes } from './file-attributes.ts';

/** Sets an attribute on a file. Returns false when this is not possible on this machine. */
function setAttribute(path: string, name: string, value: string): boolean {
  try {
    const script = 'import os,sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())';
    execFileSync('python3', ['-c', script, path, name, value], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('attributes have their exact bytes; links, missing files and files without attributes have none', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'attributes-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const [file, plain, link] = ['file', 'plain', 'link'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, '');
  writeFileSync(plain, '');
  symlinkSync(file, link);
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  const attributesOf = await createFileAttributes(log)();
  for (const path of [plain, link, join(folder, 'nowhere'), '/proc/self/status']) {
    assert.deepEqual(await attributesOf(path), [], path);
  }
  if (!setAttribute(file, 'user.note', 'vingt-et-un é')) {
    context.skip('no python3, or no attributes below the temporary folder');
    return;
  }
  assert.deepEqual(await attributesOf(Buffer.from(file)), [
    { name: 'user.note', data: Buffer.from('vingt-et-un é') },
  ]);
});
