import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeCalls } from '@nodewright/linux';
import { KernelDeviceEvents } from './device-events.ts';

/** A kernel with one socket, into which the test puts events. */
function fakeKernel() {
  const queue: (string | Error)[] = [];
  const closed: number[] = [];
  let isReadable = () => {};
  let sockets = 0;
  const calls = {
    socket: () => ++sockets,
    bind: () => {},
    setSocketOption: () => {},
    close: (descriptor: number) => void closed.push(descriptor),
    receiveFrom(_descriptor: number, into: Buffer) {
      const next = queue.shift();
      if (next instanceof Error) throw next;
      return next === undefined ? undefined : into.write(next);
    },
    watchReadable: (_descriptor: number, onReadable: () => void) => {
      isReadable = onReadable;
      return { [Symbol.dispose]: () => {} };
    },
  };
  const tell = (...events: (string | Error)[]) => {
    queue.push(...events);
    isReadable();
  };
  return { calls: calls as unknown as NativeCalls, tell, closed };
}

const eventOf = (subsystem: string, name: string) =>
  `change@/devices/${name}\0ACTION=change\0DEVPATH=/devices/${name}\0SUBSYSTEM=${subsystem}\0`;

test('all listeners share a socket, each receives events of its subsystem, and the last one closes it', () => {
  const { calls, tell, closed } = fakeKernel();
  const heard: string[] = [];
  const kernel = new KernelDeviceEvents(calls);
  const listen = (subsystem: string) =>
    kernel.listen(subsystem, {
      onEvents: (event) => void heard.push(`${subsystem} ${event?.devicePath ?? 'lost'}`),
      onError: (error) => void heard.push(`${subsystem} ${(error as Error).message}`),
    });
  const [block, pci] = [listen('block'), listen('pci')];
  tell(eventOf('block', 'vda'), eventOf('pci', '03.0'), eventOf('cpu', 'cpu0'), 'no event');
  assert.deepEqual(heard.splice(0), ['block /devices/vda', 'pci /devices/03.0']);
  tell(Object.assign(new Error('overrun'), { code: 'ENOBUFS' }));
  assert.deepEqual(heard.splice(0), ['block lost', 'pci lost']);
  block[Symbol.dispose]();
  assert.deepEqual(closed, []);
  pci[Symbol.dispose]();
  assert.deepEqual(closed, [1]);
});

test('when the socket breaks all listeners are notified, and a new listener opens another one', () => {
  const { calls, tell, closed } = fakeKernel();
  const kernel = new KernelDeviceEvents(calls);
  const errors: string[] = [];
  const init = {
    onEvents: () => {},
    onError: (error: unknown) => void errors.push((error as Error).message),
  };
  const listeners = [kernel.listen('block', init), kernel.listen('pci', init)];
  tell(Object.assign(new Error('broken'), { code: 'EBADF' }));
  assert.deepEqual([errors.length, closed], [2, [1]]);
  for (const listener of listeners) listener[Symbol.dispose]();
  using _again = kernel.listen('block', init);
  assert.deepEqual(closed, [1]);
});
