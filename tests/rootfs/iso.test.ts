// The medium that `make iso` writes, read back by xorriso; machines start from it in tests/boot/install.test.ts.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { makeMediumLoader } from '../../rootfs/iso/medium-loader.ts';
import { mediumMenu } from '../../rootfs/iso/medium-menu.ts';
import { writeIso } from '../../rootfs/iso/write-iso.ts';
import { mediumPackages } from '../../rootfs/recipe.ts';
import { unpackLocked, unpackTools } from '../../rootfs/workshop.ts';

const checkout = join(import.meta.dirname, '..', '..');
const architecture = nativeArchitecture();
const work = mkdtempSync(join(tmpdir(), 'iso-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

const { tools, skip } = await prepare();

/** The packages come over the network. Without them the tests are skipped and say why; in CI they fail. */
async function prepare(): Promise<{ tools: LockedTools | undefined; skip: string | false }> {
  if (architecture !== 'amd64') return { tools: undefined, skip: 'an ISO is made for amd64 only' };
  try {
    const unpacked = await unpackTools({ checkout, work, architecture });
    for (const name of mediumPackages(architecture))
      await unpackLocked(name, join(work, 'tools'), { checkout, architecture });
    return { tools: unpacked, skip: false };
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof Error)) throw error;
    return { tools: undefined, skip: error.message };
  }
}

const rootHash = `${'ab'.repeat(32)}\n`;

test('an ISO has the same bytes each time, and loaders for BIOS and UEFI', { skip }, async () => {
  const locked = tools ?? assert.fail('no tools');
  const loader = makeMediumLoader(locked, work);
  const write = (name: string) => {
    const target = join(work, name);
    rmSync(join(work, 'iso'), { recursive: true, force: true });
    writeIso(target, locked, work, {
      ...{ volume: 'NODEWRIGHT_V1_14_0', epochSeconds: 1_700_000_000, loader },
      files: {
        'medium/roothash': Buffer.from(rootHash),
        'boot/grub/grub.cfg': Buffer.from(mediumMenu('v1.14.0', 'console=ttyS0')),
      },
    });
    return target;
  };
  const first = write('first.iso');
  // One whose making fails leaves the one that is there.
  const bytes = readFileSync(first);
  assert.throws(() =>
    writeIso(first, locked, work, {
      ...{ volume: 'x'.repeat(60), epochSeconds: 1_700_000_000, loader, files: {} },
    }),
  );
  assert.ok(readFileSync(first).equals(bytes));
  assert.ok(!readdirSync(work).includes('second.iso.new'));
  // The writer records times in seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.ok(readFileSync(first).equals(readFileSync(write('second.iso'))));

  const ask = (...words: string[]) =>
    locked
      .run('usr/bin/xorriso', ['-no_rc', '-indev', first, ...words], { env: { HOME: work } })
      .toString('latin1');
  const torito = ask('-report_el_torito', 'plain');
  assert.match(torito, /boot img :\s+1\s+BIOS\s+y\s+none/);
  assert.match(torito, /boot img :\s+2\s+UEFI\s+y\s+none/);
  assert.match(ask('-report_system_area', 'plain'), /protective-msdos-label grub2-mbr .*GPT/);
  ask('-osirrox', 'on', '-extract', '/medium/roothash', join(work, 'read-back'));
  assert.equal(readFileSync(join(work, 'read-back'), 'latin1'), rootHash);
});
