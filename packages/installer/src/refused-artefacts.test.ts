// Artefacts that must be refused: by what their documents say before anything is written, or by their bytes while they are read.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { zstdFrame } from '@nodewright/extensions/testing';
import { openDistributionClient } from '@nodewright/oci';
import { noTelemetry } from '@nodewright/telemetry';
import { checkTarget, openArtefact, readArtefact, verifyArtefact } from './index.ts';
import {
  createArtefactSigner,
  goodFiles,
  goodTarget,
  hostileArtefacts,
  layoutArchiveOf,
  otherSigner,
  platform,
  testArtefact,
} from './testing/index.ts';

const work = mkdtempSync(join(tmpdir(), 'refused-artefacts-'));
after(() => rmSync(work, { recursive: true, force: true }));
const signer = createArtefactSigner();
const registry = openDistributionClient({ telemetry: noTelemetry });
after(() => registry[Symbol.dispose]());

function writeFolder(files: ReadonlyMap<string, Buffer>): string {
  const folder = mkdtempSync(join(work, 'layout-'));
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

function writeArchive(files: ReadonlyMap<string, Buffer>): string {
  const path = join(mkdtempSync(join(work, 'archive-')), 'artefact.tar');
  writeFileSync(path, layoutArchiveOf({ files }));
  return path;
}

const open = (name: string) => openArtefact(name, { registry, platform, nowMs: () => 0 });

/** Reads an artefact as an upgrade does. @returns what the sink has, by path */
async function readAll(name: string, target = goodTarget): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await readInto(found, name, target);
  return found;
}

async function readInto(found: Map<string, string>, name: string, target = goodTarget): Promise<void> {
  await using content = await open(name);
  const artefact = await verifyArtefact(content, { certificates: [signer.certificate], platform });
  checkTarget(artefact.description, target);
  await readArtefact(content, artefact, {
    sink: {
      async write({ path }, bytes) {
        found.set(path, '');
        const pieces = await Array.fromAsync(bytes);
        found.set(path, Buffer.concat(pieces).toString());
      },
    },
  });
}

for (const isCompressed of [false, true])
  test(`a good artefact is read from a folder and from an archive, ${isCompressed ? 'compressed' : 'plain'}`, async () => {
    const { files } = testArtefact({ signer, isCompressed });
    const expected = new Map(goodFiles.flatMap((layer) => Object.entries(layer))) as Map<string, string>;
    assert.deepEqual(await readAll(writeFolder(files)), expected);
    assert.deepEqual(await readAll(writeArchive(files)), expected);
  });

test('a layer may need 8 MiB of memory to be decompressed', async () => {
  const compress = (bytes: Buffer) => zstdFrame(bytes, 23);
  const found = await readAll(writeFolder(testArtefact({ signer, isCompressed: true, compress }).files));
  assert.equal(found.size, goodFiles.flatMap((layer) => Object.keys(layer)).length);
});

for (const { name, what, shownBy, refusal, init, hasOtherSigner, target } of hostileArtefacts)
  for (const write of [writeFolder, writeArchive])
    test(`${name}: one that ${what} is refused (${write === writeFolder ? 'folder' : 'archive'})`, async () => {
      const { files } = testArtefact({ ...init, signer: hasOtherSigner ? otherSigner : signer });
      const found = new Map<string, string>();
      const reading = readInto(found, write(files), { ...goodTarget, ...target });
      await assert.rejects(reading, (error: Error & { kind?: string }) => {
        assert.match(`${error.kind}: ${error.message}`, refusal);
        assert.equal(error.message.includes('\n'), false);
        return true;
      });
      if (shownBy === 'documents') assert.deepEqual([...found.keys()], []);
    });

test('an attack has a name of its own, SECURITY.md says what holds against it, and it was seen to fail', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../SECURITY.md'), 'utf8');
  const names = hostileArtefacts.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
  assert.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
  assert.ok(hostileArtefacts.every(({ seenToFail }) => seenToFail !== ''));
});

test('a path that is no layout and no image is refused, also an archive that is too large', async () => {
  const text = join(work, 'text');
  writeFileSync(text, 'text');
  await assert.rejects(open(text), { kind: 'invalid-argument' });
  await assert.rejects(open(work), { kind: 'invalid-argument' });
  await assert.rejects(open(join(work, 'missing')), { kind: 'invalid-argument' });
});
