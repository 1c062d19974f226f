import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TalosClient } from '@nodewright/client';
import { codecsOf, MemoryState, pointerTo, registerKind, registerMeta } from '@nodewright/state';
import { deviceSourceStatuses, discoveryRefreshStatuses, systemDisks } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import type { CliEnvironment } from '../context/command-module.ts';
import { getResources } from './get-resources.ts';

const kinds = [deviceSourceStatuses, discoveryRefreshStatuses, systemDisks];
const owner = { owner: 'test.Controller' };
const connected = { connected: true, mode: 'udevd', reason: '', problem: '', gaps: 0 };

/** A machine that has connected to the source of its devices, and has read none of them. */
async function openMachine(mode: string) {
  const store = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  await registerMeta(store);
  for (const kind of kinds) await registerKind(store, kind);
  await store.create({ ...pointerTo(deviceSourceStatuses), spec: connected }, owner);
  const { implementation } = createStateService({
    stateOf: () => store,
    codecs: codecsOf(kinds),
    now: () => 0,
  });
  const machine = { version: async () => ({ messages: [{ platform: { name: mode, mode } }] }) };
  const targets = [{ name: 'vm', state: implementation, machine }];
  return { store, client: { targets } as unknown as TalosClient };
}

/** What `get systemdisk system-disk --insecure` prints on a machine that does something when the wait begins. */
async function getDisk(onWait: (store: MemoryState) => Promise<unknown>, mode = 'metal') {
  const { store, client } = await openMachine(mode);
  let errors = '';
  const ids: string[] = [];
  const stderr = {
    write(text: string) {
      if (text.includes('waiting up to 60 s')) void onWait(store);
      errors += text;
      return true;
    },
  };
  const env = { stderr, stdout: stderr, signal: new AbortController().signal } as unknown as CliEnvironment;
  const output = {
    add: async ({ metadata }: { readonly metadata: { readonly id: string } }) => void ids.push(metadata.id),
    flush: async () => {},
  };
  const wanted = {
    kind: { namespace: 'runtime', type: systemDisks.type },
    id: 'system-disk',
    awaitsDevices: true,
  };
  await getResources(env, client, wanted, output as never).catch(() => {});
  return { ids, errors };
}

test('one disk of a machine that starts is waited for, too', async () => {
  const spec = { diskID: 'vda', devPath: '/dev/vda' };
  const { ids, errors } = await getDisk((store) => store.create({ ...pointerTo(systemDisks), spec }, owner));
  assert.deepEqual(
    [ids, errors],
    [['system-disk'], 'vm: waiting up to 60 s for the devices of the machine\n'],
  );
});

test('a disk that a machine does not have is named as missing once its devices were read', async () => {
  const { ids, errors } = await getDisk((store) =>
    store.create({ ...pointerTo(discoveryRefreshStatuses), spec: { request: 1 } }, owner),
  );
  assert.deepEqual(ids, []);
  assert.match(errors, /code = NotFound desc = there is no "system-disk"/);
});

test('a node in a container, which reads no block devices, is not waited for', async () => {
  const { ids, errors } = await getDisk(() => assert.fail('it waits'), 'container');
  assert.deepEqual([ids, errors.includes('waiting')], [[], false]);
});
