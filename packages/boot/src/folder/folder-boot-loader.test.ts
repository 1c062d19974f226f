import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PowerFailure, testBootLoader } from '../conformance/index.ts';
import { type BootState, systemIn } from '../loader/boot-state.ts';
import { type Slot, slots } from '../slot/slot.ts';
import { MemoryFiles, writeCounter } from '../testing/memory-files.ts';
import { chooseStart } from './choose-start.ts';
import { createFolderBootLoader } from './folder-boot-loader.ts';
import {
  artefactEntry,
  containerForm,
  createdDigest,
  encodeSlotChoice,
  slotFolderFiles,
  slotFolderState,
  slotListBytes,
} from './slot-folder.ts';

const list = Buffer.from(`${'0'.repeat(64)}  ${slotFolderFiles.program}\n`);

function openFolder() {
  const { failAfter, onWrite } = writeCounter(() => {
    throw new PowerFailure();
  });
  const files = new MemoryFiles();
  const { contents } = files;
  const loader = createFolderBootLoader({
    read: (path, offset, length) => files.read(path, offset, length),
    async replace(path, bytes) {
      contents.set(path, Buffer.from(bytes));
      onWrite();
    },
  });
  return {
    ...{ loader, files, failAfter, hasKernels: false },
    install(slot: Slot, { rootHash }: { readonly rootHash: string }) {
      contents.set(`${slot}/${slotFolderFiles.program}`, Buffer.from(`program of ${slot}`));
      contents.set(`${slot}/SHA256SUMS`, list);
      contents.set(`${slot}/roothash`, Buffer.from(`${rootHash}\n`));
    },
    spoil: (slot: Slot) => void contents.delete(`${slot}/SHA256SUMS`),
    damageKernel: (slot: Slot) => files.damage(`${slot}/${slotFolderFiles.program}`),
    loseChoice: () => files.damage(slotFolderFiles.choice),
    start() {
      const { slot, store } = chooseStart(slotFolderState(contents));
      if (store !== undefined) contents.set(slotFolderFiles.choice, encodeSlotChoice(store));
      return slot;
    },
    untouchable: () => files.digest([slotFolderFiles.choice]),
  };
}

testBootLoader('a folder', openFolder);

test('a node without slots starts the programs that its cluster was created with', () => {
  assert.deepEqual(chooseStart(slotFolderState(new Map())), {
    slot: undefined,
    isTried: false,
    store: undefined,
  });
});

test('a slot whose list or root hash is damaged is no entry, and the other one is started', () => {
  const damages: readonly (readonly [path: string, content: Buffer])[] = [
    ['B/SHA256SUMS', list.subarray(0, -1)],
    ['B/SHA256SUMS', Buffer.from(`${'0'.repeat(64)}  bundles/apid/apid.cjs\n`)],
    ['B/SHA256SUMS', Buffer.concat([Buffer.alloc(slotListBytes, '\n'), list])],
    ['B/roothash', Buffer.from('b'.repeat(64))],
    ['B/roothash', Buffer.alloc(1 << 20, 'b')],
  ];
  for (const [path, content] of damages) {
    const { install, files, start } = openFolder();
    for (const slot of slots) install(slot, { rootHash: slot.toLowerCase().repeat(64) });
    files.contents.set(slotFolderFiles.choice, encodeSlotChoice({ default: 'B', once: undefined }));
    files.contents.set(path, content);
    assert.equal(start(), 'A', path);
  }
});

test('a choice of another form counts as none', () => {
  for (const text of ['', '[]', 'null', '{"default":"C","once":7}', `{"default":"B"${' '.repeat(2000)}}`]) {
    const { default: byDefault, once } = slotFolderState(
      new Map([[slotFolderFiles.choice, Buffer.from(text)]]),
    );
    assert.deepEqual([byDefault, once], [undefined, undefined], text);
  }
});

const states: fc.Arbitrary<BootState> = fc.record({
  entries: fc
    .subarray([...slots])
    .map((found) => found.map((slot) => ({ slot, rootHash: slot.toLowerCase().repeat(64) }))),
  default: fc.constantFrom(undefined, ...slots),
  once: fc.constantFrom(undefined, ...slots),
});

test('whenever a supervisor is killed, what was chosen once is started at most once', () => {
  fc.assert(
    fc.property(
      states,
      fc.array(fc.constantFrom('before the store', 'after it', 'not at all'), { maxLength: 6 }),
      (first, kills) => {
        let state = first;
        let tries = 0;
        for (const kill of kills) {
          const { slot, store } = chooseStart(state);
          if (kill === 'before the store') continue;
          state = { ...state, ...store };
          if (kill === 'after it') continue;
          assert.ok(slot === undefined ? state.entries.length === 0 : systemIn(state, slot) !== undefined);
          if (slot !== undefined && slot !== chooseStart({ ...first, once: undefined }).slot) tries += 1;
        }
        assert.ok(tries <= 1);
      },
    ),
  );
});

test('the choice of a node that is one container says which artefact each slot has', async () => {
  const files = new MemoryFiles();
  const { contents } = files;
  const listOf = (digest: string) => Buffer.from(`${digest}  ${artefactEntry}\n`);
  for (const [slot, digest] of [
    ['A', createdDigest],
    ['B', 'b'.repeat(64)],
  ] as const) {
    contents.set(`${slot}/SHA256SUMS`, listOf(digest));
    contents.set(`${slot}/roothash`, Buffer.from(`${'0'.repeat(64)}\n`));
  }
  const loader = createFolderBootLoader(
    {
      read: (path, offset, length) => files.read(path, offset, length),
      replace: async (path, bytes) => void contents.set(path, Buffer.from(bytes)),
    },
    containerForm,
  );
  await loader.chooseOnce('B');
  assert.deepEqual(JSON.parse(String(contents.get(slotFolderFiles.choice))), {
    once: 'B',
    systems: { A: 'created', B: `sha256:${'b'.repeat(64)}` },
  });
  // A list of another form names nothing that a keeper could fetch.
  contents.set('B/SHA256SUMS', Buffer.concat([listOf('b'.repeat(64)), listOf('c'.repeat(64))]));
  await loader.revert();
  assert.deepEqual(JSON.parse(String(contents.get(slotFolderFiles.choice))).systems, { A: 'created' });
});
