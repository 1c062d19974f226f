import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  createSystemdBootLoader,
  encodeLoaderVariable,
  entryName,
  loaderVariableFile,
} from '@nodewright/boot';
import { createLoaderVariableFiles } from './loader-variable-files.ts';

const immutable = 0x10;

/** efivarfs as a folder. The flags of its files are kept beside it. */
function openVariables(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'efivarfs-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const done: string[] = [];
  let flags = immutable;
  const variables = createLoaderVariableFiles({
    folder,
    calls: {
      mount: (_source, _target, _type, bits) => void done.push((bits & 1) === 1 ? 'read-only' : 'writable'),
      control(_descriptor, request, argument) {
        const bytes = Buffer.from(argument.buffer, argument.byteOffset, argument.length);
        if (request === 0x80086601) return void bytes.writeUInt32LE(flags);
        assert.equal(request, 0x40086602);
        flags = bytes.readUInt32LE();
        done.push(`flags ${flags.toString(16)}`);
      },
    },
  });
  return { variables, folder, done };
}

const entryOf = (slot: 'A' | 'B') => encodeLoaderVariable(entryName(slot));

test('a variable is created, replaced and removed while efivarfs is writable, and is immutable otherwise', async (context) => {
  const { variables, folder, done } = openVariables(context);
  const path = join(folder, loaderVariableFile('oneShot'));
  assert.equal(await variables.read('oneShot'), undefined);
  await variables.write('oneShot', entryOf('B'));
  assert.deepEqual(readFileSync(path), entryOf('B'));
  assert.deepEqual(done.splice(0), ['writable', 'read-only']);
  await variables.write('oneShot', entryOf('A'));
  assert.deepEqual(await variables.read('oneShot'), entryOf('A'));
  assert.deepEqual(done.splice(0), ['writable', 'flags 0', 'read-only']);
  await variables.remove('oneShot');
  assert.equal(existsSync(path), false);
  await variables.remove('oneShot');
  assert.deepEqual(done, ['writable', 'read-only', 'writable', 'read-only']);
});

test('efivarfs is read-only again after a failure, and changes happen one at a time', async (context) => {
  const { variables, folder, done } = openVariables(context);
  const path = join(folder, loaderVariableFile('default'));
  await Promise.all([variables.write('default', entryOf('A')), variables.write('default', entryOf('B'))]);
  assert.deepEqual(done.splice(0), ['writable', 'read-only', 'writable', 'flags 0', 'read-only']);
  assert.deepEqual(readFileSync(path), entryOf('B'));
  rmSync(folder, { recursive: true });
  await assert.rejects(variables.write('default', entryOf('A')));
  assert.deepEqual(done, ['writable', 'read-only']);
  // The clean-up of the test removes a folder.
  mkdirSync(folder);
});

test('a firmware without room for another variable is said', async (context) => {
  const { variables, folder, done } = openVariables(context);
  symlinkSync('/dev/full', join(folder, loaderVariableFile('oneShot')));
  await assert.rejects(variables.write('oneShot', entryOf('B')), {
    kind: 'resource-exhausted',
    message:
      'the firmware has no room for its variable LoaderEntryOneShot: a restart may give back that of removed ones',
  });
  assert.equal(done.at(-1), 'read-only');
});

test('a variable that somebody has filled with megabytes is not read as one of ours', async (context) => {
  const { variables, folder } = openVariables(context);
  writeFileSync(join(folder, loaderVariableFile('default')), Buffer.alloc(4 << 20, entryOf('B')));
  const never = { read: async () => undefined };
  const loader = createSystemdBootLoader({ efi: never, boot: never, variables });
  assert.equal((await loader.state()).default, undefined);
});
