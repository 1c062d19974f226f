// Dmesg, against the kernel's log of this machine.
import assert from 'node:assert/strict';
import { closeSync, constants, openSync, readSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { startNode } from './harness/node-under-test.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const node = scope.use(await startNode());
const machine = node.client(MachineServiceDefinition, 'os:reader');
const skip = process.getuid?.() === 0 ? false : 'the log of the kernel is for root';

/** The texts of the existing records, first lines only. */
function kernelLines(): string[] {
  const descriptor = openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK);
  const lines: string[] = [];
  try {
    const buffer = Buffer.alloc(16_384);
    for (;;) {
      const text = buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, null));
      lines.push(text.slice(text.indexOf(';') + 1, text.indexOf('\n')));
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
  } finally {
    closeSync(descriptor);
  }
  return lines;
}

async function dmesg(request: { follow?: boolean; tail?: boolean } = {}): Promise<string[]> {
  const messages: string[] = [];
  for await (const { bytes } of machine.dmesg(request)) messages.push(Buffer.from(bytes).toString());
  return messages;
}

test("Dmesg sends each record as one message, in the kernel's order, and ends", { skip }, async () => {
  const before = kernelLines();
  const messages = await dmesg();
  const shape = /^[a-z]+\d?: {1,5}\w+: \[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?Z\]: [\s\S]*\n$/;
  assert.deepEqual(
    messages.filter((message) => !shape.test(message)),
    [],
  );
  const texts = messages.map((message) => message.slice(message.indexOf(']: ') + 3, message.indexOf('\n')));
  // The kernel's file has escapes and Dmesg sends them decoded; the ring buffer may also have moved on.
  const plain = before.filter((line) => !line.includes('\\x'));
  const shown = texts.filter((text) => plain.includes(text));
  assert.ok(shown.length > plain.length * 0.8, `${shown.length} of ${plain.length}`);
});

test('Dmesg with follow sends a new record at once, with its time', { skip }, async () => {
  const stop = new AbortController();
  const messages: string[] = [];
  const ended = (async () => {
    for await (const { bytes } of machine.dmesg({ follow: true, tail: true }, { signal: stop.signal })) {
      messages.push(Buffer.from(bytes).toString());
    }
  })().catch(() => {});
  const mark = `nodewright dmesg ${process.pid}`;
  let count = 0;
  const found = () => messages.find((message) => message.includes(mark));
  // The stream does not mark the end of the existing records, so ignore everything before our own record.
  await eventually(
    () => {
      if (count < 40) writeFileSync('/dev/kmsg', `<12>${mark} ${count}\n`);
      count += 1;
      return found() !== undefined;
    },
    { what: 'record' },
  );
  const [, time = ''] = /^user: warning: \[(.*)\]: nodewright dmesg \d+ \d+\n$/.exec(found() ?? '') ?? [];
  // The kernel log's clock is up to a second off, and drifts from the wall clock while a machine sleeps.
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time);
  stop.abort();
  await ended;
});

test('Dmesg with tail and without follow sends nothing', { skip }, async () => {
  assert.deepEqual(await dmesg({ tail: true }), []);
});
