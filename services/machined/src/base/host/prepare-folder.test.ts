import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { linkSocket } from './link-socket.ts';
import { prepareFolder } from './prepare-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'folder-'));
after(() => rmSync(root, { recursive: true }));

test('linkSocket() creates a relative link, replaces an old one, and removes its own when disposed', async () => {
  const link = join(root, 'system', 'run', 'machined', 'machine.sock');
  await prepareFolder({ path: dirname(link), mode: 0o700 });
  for (const name of ['old', 'machined']) {
    const opened = linkSocket(link, join(root, 'run', name, 'machined.sock'));
    assert.equal(readlinkSync(link), `../../../run/${name}/machined.sock`);
    if (name === 'machined') opened[Symbol.dispose]();
  }
  assert.equal(lstatSync(link, { throwIfNoEntry: false }), undefined);
});

test('prepareFolder() sets the mode of a new or existing folder and keeps its content', async () => {
  const path = join(root, 'a', 'b');
  await prepareFolder({ path, mode: 0o700 });
  writeFileSync(join(path, 'file'), 'kept');
  await prepareFolder({ path, mode: 0o751 });
  assert.equal(statSync(path).mode & 0o777, 0o751);
  assert.equal(readFileSync(join(path, 'file'), 'utf8'), 'kept');
});

test('prepareFolder() fails where the kernel allows no folders', { timeout: 60_000 }, async () => {
  await assert.rejects(prepareFolder({ path: '/proc/nodewright/a/b', mode: 0o700 }), { code: 'ENOENT' });
});

const watching = (stayMs: number) => `
  import { watchParent } from ${JSON.stringify(new URL('watch-parent.ts', import.meta.url).href)};
  watchParent(process.stdin, () => { console.log('gone'); process.exit(0); });
  console.log('watching');
  setTimeout(() => { console.log('stayed'); process.exit(0); }, ${stayMs});
`;

async function outputOf(stdin: 'pipe' | 'ignore', leave: boolean): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', watching(leave ? 20_000 : 300)], {
    stdio: [stdin, 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (leave) child.stdin?.end();
  });
  await once(child, 'close');
  return output;
}

test('watchParent() notices that a pipe was closed, and ignores /dev/null and an open pipe', async () => {
  const outputs = await Promise.all([
    outputOf('pipe', true),
    outputOf('pipe', false),
    outputOf('ignore', false),
  ]);
  assert.deepEqual(outputs, ['watching\ngone\n', 'watching\nstayed\n', 'watching\nstayed\n']);
});
