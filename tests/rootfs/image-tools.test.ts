// What the locked tools make: the init and the file systems of the disk image.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  choiceEnvironment,
  encodeEnvironmentBlock,
  environmentBlockBytes,
  genericMenu,
  grubMenu,
  parseEnvironmentBlock,
  slotChoiceIn,
  slotEntry,
} from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { decodeTable } from '@nodewright/disk';
import { openCompiler } from '../../rootfs/debian/locked-compiler.ts';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { placedPartitions, writeDiskImage } from '../../rootfs/disk/disk-image.ts';
import { makeEfiPartition } from '../../rootfs/disk/efi-partition.ts';
import { makeExtPartition } from '../../rootfs/disk/ext-partition.ts';
import { makeGrub } from '../../rootfs/disk/grub-image.ts';
import { buildInit } from '../../rootfs/initramfs/build-init.ts';
import { compilerPackages } from '../../rootfs/recipe.ts';
import { unpackLocked, unpackTools } from '../../rootfs/workshop.ts';

const checkout = join(import.meta.dirname, '..', '..');
const source = join(checkout, 'rootfs/init');
const architecture = nativeArchitecture();
const work = mkdtempSync(join(tmpdir(), 'image-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

const { tools, skip } = await prepare();

/** The packages come over the network. Without them the tests are skipped and say why; in CI they fail. */
async function prepare(): Promise<{ tools: LockedTools | undefined; skip: string | false }> {
  try {
    return { tools: await unpackTools({ checkout, work, architecture }), skip: false };
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof Error)) throw error;
    return { tools: undefined, skip: error.message };
  }
}

const locked = () => tools ?? assert.fail('no tools');

function folder(name: string): string {
  const path = join(work, name);
  mkdirSync(path, { recursive: true });
  return path;
}

test('the init has fewer than 600 lines of code', () => {
  const isCode = (line: string) => !/^\s*(?:\/\/.*)?$/.test(line);
  const lines = ['init.c', 'system-calls.h'].map(
    (name) => readFileSync(join(source, name), 'utf8').split('\n').filter(isCode).length,
  );
  assert.ok(lines.reduce((sum, count) => sum + count, 0) < 600, lines.join(' and '));
});

test('the init is a static program, and is the same in every folder', { skip }, () => {
  const [first, second] = ['one', 'another/deeper'].map((name) =>
    buildInit(locked(), {
      source,
      work: folder(name),
      etcdImage: 'registry.example/etcd:v1',
      hasKubelet: true,
    }),
  );
  assert.ok(first !== undefined && second !== undefined && first.equals(second));
  assert.equal(first.toString('latin1', 0, 4), '\x7fELF');
  const headers = Number(first.readBigUInt64LE(32));
  const types = Array.from({ length: first.readUInt16LE(56) }, (_, index) =>
    first.readUInt32LE(headers + index * first.readUInt16LE(54)),
  );
  const interpreter = 3;
  assert.ok(!types.includes(interpreter), 'it needs no dynamic loader');
});

test('the locked compiler makes the same static program in every folder, without headers of this machine', {
  skip,
}, async () => {
  for (const name of compilerPackages(architecture))
    await unpackLocked(name, locked().path('.'), { checkout, architecture });
  const program = '#include <seccomp.h>\nint main(void) { return seccomp_api_get() == 0; }\n';
  const [first, second] = ['cc-one', 'cc-another/deeper'].map((name) => {
    const place = folder(name);
    writeFileSync(join(place, 'main.c'), program);
    const compiler = openCompiler(locked(), join(place, 'commands'));
    const run = (...args: string[]) => execFileSync(compiler, args, { cwd: place, encoding: 'utf8' });
    const headers = run('-M', 'main.c').match(/\/\S+\.h/g) ?? [];
    assert.ok(headers.length > 5);
    assert.deepEqual(
      headers.filter((path) => !path.startsWith(work)),
      [],
    );
    run('-static', '-O2', '-s', '-Wl,--build-id=none', '-o', 'main', 'main.c', '-lseccomp');
    execFileSync(join(place, 'main'));
    return readFileSync(join(place, 'main'));
  });
  assert.ok(first !== undefined && second !== undefined && first.equals(second));
});

const files = {
  'A/rootfs.squashfs': Buffer.alloc(300_000, 'root'),
  'A/vmlinuz': Buffer.from('kernel'),
  'grub/grub.cfg': Buffer.from('set default=A\n'),
};
const uuid = '6e6f6465-7772-4967-a874-000000000001';

test('the partition BOOT has the same bytes whatever the umask and the order of its files', { skip }, () => {
  const umask = process.umask(0o077);
  try {
    const [first, second] = [files, Object.fromEntries(Object.entries(files).reverse())].map(
      (given, index) => {
        process.umask(index === 0 ? 0o022 : 0o077);
        const init = { label: 'BOOT', bytes: 16 << 20, files: given, epochSeconds: 1_700_000_000, uuid };
        return readFileSync(
          makeExtPartition(locked(), folder(`boot-${index}`), { ...init, isWritten: true }),
        );
      },
    );
    assert.ok(first !== undefined && second !== undefined && first.equals(second));
  } finally {
    process.umask(umask);
  }
});

test('a file that does not fit on the partition BOOT is an error that names it', { skip }, () => {
  const large = { 'A/rootfs.squashfs': Buffer.alloc(9 << 20, 'x') };
  const init = { label: 'BOOT', bytes: 8 << 20, files: large, epochSeconds: 1_700_000_000, uuid };
  assert.throws(
    () => makeExtPartition(locked(), folder('boot-small'), init),
    /partition BOOT is too small for A\/rootfs\.squashfs/,
  );
});

const withoutGrub = skip || (architecture === 'amd64' ? false : 'GRUB for a BIOS is for x86-64 only');

test('GRUB reads the menu and the entries of slots as its language, and none that is cut off', {
  skip: withoutGrub,
}, () => {
  const file = join(folder('scripts'), 'grub.cfg');
  const isScript = (text: string) => {
    writeFileSync(file, text);
    try {
      locked().run('usr/bin/grub-script-check', [file]);
      return true;
    } catch (error) {
      assert.match(String(error), /syntax error/i);
      return false;
    }
  };
  const entry = {
    slot: 'A',
    tag: 'v1.14.0',
    commandLine: 'console=ttyS0 nodewright.extensions= a=b,c.d:e',
  } as const;
  for (const text of [genericMenu(), slotEntry(entry), grubMenu([entry], 3)]) {
    assert.ok(isScript(text), text);
    // Each ends with a line that closes something, or one behind it.
    const last = text.trimEnd().lastIndexOf(text.includes('done') ? 'done' : '}');
    assert.ok(!isScript(text.slice(0, last)), text.slice(last));
  }
});

test('the tool of GRUB reads and changes the environment block as this project does', {
  skip: withoutGrub,
}, () => {
  const file = join(folder('environment'), 'grubenv');
  const edit = (...words: string[]) =>
    locked()
      .run('usr/bin/grub-editenv', [file, ...words])
      .toString();
  const choice = () => slotChoiceIn(parseEnvironmentBlock(readFileSync(file)));
  writeFileSync(file, encodeEnvironmentBlock(choiceEnvironment({ default: 'A', once: 'B' })));
  assert.equal(edit('list'), 'saved_entry=A\nnext_entry=B\n');
  edit('set', 'next_entry=');
  assert.deepEqual(choice(), { default: 'A', once: undefined });
  edit('set', 'saved_entry=B', 'next_entry=A');
  assert.deepEqual(choice(), { default: 'B', once: 'A' });
  assert.equal(statSync(file).size, environmentBlockBytes);
});

test('the disk image has its partitions, and is the same every time', {
  skip: withoutGrub,
}, async () => {
  const coreSector = placedPartitions().find(({ label }) => label === 'BIOS')?.first ?? 0;
  const [first, second] = [0, 1].map((index) => {
    const place = folder(`disk-${index}`);
    const target = join(place, 'disk.raw');
    writeDiskImage(target, {
      grub: makeGrub(locked(), place, coreSector),
      partitions: {
        BOOT: makeExtPartition(locked(), place, {
          label: 'BOOT',
          bytes: 8 << 20,
          files,
          epochSeconds: 1_700_000_000,
          uuid,
        }),
        EFI: makeEfiPartition(locked(), place, {
          bytes: 64 << 20,
          files: { 'EFI/BOOT/BOOTX64.EFI': Buffer.alloc(100_000, 'efi') },
          epochSeconds: 1_700_000_000,
        }),
      },
    });
    assert.ok(statSync(target).blocks * 512 < 64 << 20, 'what nobody wrote takes no space');
    return target;
  }) as [string, string];
  const digests = await Promise.all([first, second].map(digestOf));
  assert.equal(digests[0], digests[1]);
  const table = decodeTable(bytesAt(first, 0, 34 * 512));
  assert.deepEqual(
    table?.partitions.map(({ label }) => label),
    ['EFI', 'BIOS', 'BOOT', 'META', 'IMAGECACHE'],
  );
  const placeOf = (label: string) => (table?.partitions.find((one) => one.label === label)?.first ?? 0) * 512;
  assert.equal(bytesAt(first, placeOf('EFI') + 82, 5).toString('latin1'), 'FAT32');
  assert.equal(bytesAt(first, placeOf('BOOT') + 1024 + 56, 2).readUInt16LE(), 0xef53);
  assert.equal(bytesAt(first, 510, 2).readUInt16LE(), 0xaa55);
});

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function bytesAt(path: string, at: number, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, at);
    return bytes;
  } finally {
    closeSync(file);
  }
}
