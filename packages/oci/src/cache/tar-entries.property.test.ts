import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { tarEntries } from './tar-entries.ts';

const folder = mkdtempSync(join(tmpdir(), 'tar-entries-'));
after(() => rmSync(folder, { recursive: true }));
let count = 0;

async function entriesOf(archive: Buffer): Promise<[name: string, content: string][]> {
  count += 1;
  const path = join(folder, String(count));
  writeFileSync(path, archive);
  await using file = await open(path);
  const found: [string, string][] = [];
  for await (const { name, start, size } of tarEntries(file, archive.length))
    found.push([name, archive.subarray(start, start + size).toString('hex')]);
  return found;
}

const name = fc
  .array(fc.stringMatching(/^[a-zA-Z0-9._é-]{1,90}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));
const files = fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 1500 })), {
  selector: ([key]) => key,
});

async function archiveOf(contents: readonly (readonly [string, Uint8Array])[]): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'folder', type: 'directory' });
  for (const [path, content] of contents) archive.entry({ name: path }, Buffer.from(content));
  archive.entry({ name: 'link', type: 'symlink', linkname: 'target' });
  archive.finalize();
  return buffer(archive);
}

test('tarEntries() finds the files that another program has packed, also with long names', async () => {
  await fc.assert(
    fc.asyncProperty(files, async (contents) => {
      const expected = contents.map(([path, content]) => [path, Buffer.from(content).toString('hex')]);
      assert.deepEqual(await entriesOf(await archiveOf(contents)), expected);
    }),
    { numRuns: 50 },
  );
});

test('tarEntries() reports a damaged archive as such, and never a file outside of it', async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.nat(), fc.nat(255), fc.nat(), async (contents, at, byte, cut) => {
      const archive = await archiveOf(contents);
      archive[at % archive.length] = byte;
      const damaged = archive.subarray(0, cut % (archive.length + 1));
      try {
        await entriesOf(damaged);
      } catch (error) {
        assert.ok(error instanceof Fault && error.kind === 'data-loss', String(error));
      }
    }),
    { numRuns: 100 },
  );
});
