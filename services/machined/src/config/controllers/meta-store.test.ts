import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { metaKeys, metaLoads } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { MetaValues } from '../domain/meta-values.ts';
import type { MetaFile } from '../host/meta-file.ts';
import { openMetaStore } from './meta-store.ts';

const bytes = (text: string) => Buffer.from(text);

function openDisk(values: MetaValues = new Map()) {
  const disk = {
    values,
    readFault: undefined as Fault | undefined,
    writeFault: undefined as Fault | undefined,
    asides: 0,
  };
  const file: MetaFile = {
    async read() {
      if (disk.readFault !== undefined) throw disk.readFault;
      return disk.values;
    },
    async write(next) {
      if (disk.writeFault !== undefined) throw disk.writeFault;
      disk.values = next;
    },
    async putAside() {
      disk.asides += 1;
    },
  };
  return { disk, file };
}

async function open(file: MetaFile | undefined) {
  const { state } = openTestRuntime();
  const log = createLogger({ name: 'test', telemetry: noTelemetry, destination: { write() {} } });
  const store = await openMetaStore({ state, file, log });
  const seen = async () =>
    (await state.list(metaKeys)).map(({ metadata, spec }) => `${metadata.owner}${metadata.id}=${spec.value}`);
  return { state, store, seen };
}

test('openMetaStore() publishes the stored values and reports META as loaded', async () => {
  const { file } = openDisk(new Map([[10, bytes('network')]]));
  const { state, seen } = await open(file);
  assert.deepEqual(await seen(), ['0x0a=network']);
  assert.deepEqual(
    (await state.list(metaLoads)).map(({ metadata, spec }) => ({ id: metadata.id, ...spec })),
    [{ id: 'meta-loaded', done: true }],
  );
});

test('a META store applies writes and deletes in order, on disk and in resources', async () => {
  const { disk, file } = openDisk();
  const { store, seen } = await open(file);
  await Promise.all([store.write(12, bytes('a')), store.write(13, bytes('b')), store.write(12, bytes('c'))]);
  assert.deepEqual(await seen(), ['0x0c=c', '0x0d=b']);
  await store.delete(12);
  await assert.rejects(store.delete(12), { kind: 'not-found', message: 'meta key not found' });
  assert.deepEqual([[...disk.values], await seen()], [[[13, bytes('b')]], ['0x0d=b']]);
});

test('a META store keeps its values when a write to disk fails', async () => {
  const { disk, file } = openDisk(new Map([[12, bytes('a')]]));
  const { store, seen } = await open(file);
  disk.writeFault = new Fault('resource-exhausted', 'no space');
  await assert.rejects(store.write(12, bytes('b')), { kind: 'resource-exhausted' });
  await assert.rejects(store.delete(12), { kind: 'resource-exhausted' });
  assert.deepEqual(await seen(), ['0x0c=a']);
  disk.writeFault = undefined;
  await store.write(12, bytes('c'));
  assert.deepEqual(await seen(), ['0x0c=c']);
});

test('openMetaStore() puts a damaged file aside, and fails when the file cannot be read', async () => {
  const { disk, file } = openDisk();
  disk.readFault = new Fault('data-loss', 'damaged');
  const { seen } = await open(file);
  assert.deepEqual([disk.asides, await seen()], [1, []]);
  disk.readFault = new Fault('permission-denied', 'permission denied');
  await assert.rejects(open(file), { kind: 'permission-denied' });
});

test('a META store in a container keeps nothing', async () => {
  const { store, seen } = await open(undefined);
  await store.write(12, bytes('a'));
  await assert.rejects(store.write(300, bytes('a')), { kind: 'invalid-argument' });
  assert.deepEqual(await seen(), []);
  await assert.rejects(store.delete(12), { kind: 'not-found' });
});

test('a META store changes several values by one write, or none of them', async () => {
  const { disk, file } = openDisk(
    new Map([
      [6, bytes('A')],
      [10, bytes('network')],
    ]),
  );
  let writes = 0;
  const { store, seen } = await open({
    ...file,
    async write(values) {
      writes += 1;
      await file.write(values);
    },
  });
  await store.change(
    new Map([
      [6, undefined],
      [7, bytes('image')],
      [8, undefined],
    ]),
  );
  assert.deepEqual([writes, await seen()], [1, ['0x07=image', '0x0a=network']]);
  assert.deepEqual(
    [...(store.values() ?? [])].map(([key, value]) => `${key} ${value}`),
    ['10 network', '7 image'],
  );
  const full = new Map([
    [7, undefined],
    [0xfc, Buffer.alloc(300_000)],
  ]);
  await assert.rejects(store.change(full), { kind: 'resource-exhausted' });
  disk.writeFault = new Fault('unavailable', 'the disk fails');
  await assert.rejects(store.change(new Map([[7, undefined]])), { kind: 'unavailable' });
  assert.deepEqual(
    [[...disk.values.keys()], await seen()],
    [
      [10, 7],
      ['0x07=image', '0x0a=network'],
    ],
  );
});

test('a META store that was damaged has no values until something is written', async () => {
  const { disk, file } = openDisk();
  disk.readFault = new Fault('data-loss', 'damaged');
  const { store } = await open(file);
  assert.equal(store.values(), undefined);
  await store.change(new Map([[6, bytes('A')]]));
  assert.deepEqual([...(store.values()?.keys() ?? [])], [6]);
});
