import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadNativeCalls } from './native-calls.ts';
import type { Uevent } from './parse-uevent.ts';
import { watchUevents } from './watch-uevents.ts';

/** Makes the kernel announce a device again, which changes nothing. Undefined: that is not permitted here. */
function announceSomeDevice(): string | undefined {
  try {
    const [name] = readdirSync('/sys/block');
    writeFileSync(`/sys/block/${name}/uevent`, 'change');
    return name;
  } catch {
    return undefined;
  }
}

test('watchUevents() reports a device that the kernel announces', async (t) => {
  if (announceSomeDevice() === undefined) return t.skip('needs a block device, root and a sysfs to write to');
  const calls = await loadNativeCalls();
  const { promise, resolve, reject } = Promise.withResolvers<Uevent>();
  using _watch = watchUevents(calls, { onEvent: resolve, onLost: () => {}, onError: reject });
  const name = announceSomeDevice();
  // The watch does not keep the process alive.
  const timer = setTimeout(() => reject(new Error('no news within 15 s')), 15_000);
  const { action, subsystem, devicePath } = await promise.finally(() => clearTimeout(timer));
  assert.deepEqual([action, subsystem, devicePath.endsWith(`/${name}`)], ['change', 'block', true]);
});
