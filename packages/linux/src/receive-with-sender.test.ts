// Datagrams of a socket with their senders, in a process of its own: memory that was freed too early ends it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const program = `
import { setImmediate } from 'node:timers/promises';
import { loadNativeCalls } from ${JSON.stringify(join(import.meta.dirname, 'native-calls.ts'))};
const calls = await loadNativeCalls();
const address = Buffer.concat([Buffer.from([1, 0]), Buffer.from(\`\\0receive-\${process.pid}\`)]);
const [to, from] = [calls.socket(1, 2, 0), calls.socket(1, 2, 0)];
calls.bind(to, address);
calls.setSocketOption(to, 1, 16, Buffer.from([1, 0, 0, 0]));
const sender = Buffer.alloc(16);
const others = [];
let wrong = 0;
let collections = 0;
const observer = new PerformanceObserver((list) => void (collections += list.getEntries().length));
observer.observe({ entryTypes: ['gc'] });
for (let round = 0; round < 20_000; round += 1) {
  const sent = Buffer.alloc(200, round & 0xff);
  calls.sendTo(from, sent, address);
  const into = Buffer.alloc(200);
  const received = calls.receiveWithSender(to, into, sender);
  if (received?.userId !== process.getuid() || received.lengthBytes !== 200 || !into.equals(sent)) wrong += 1;
  // They take the place of what was freed.
  others.push(Buffer.alloc(16, 0xff));
  if (others.length > 50) others.length = 0;
}
for (let turn = 0; turn < 100 && collections === 0; turn += 1) await setImmediate();
process.stdout.write(JSON.stringify({ wrong, isOften: collections > 200 || collections }));
`;

test('receiveWithSender() uses no memory that was freed, while the collector runs often', () => {
  // The first flag makes V8 collect when a random part of the young generation is full, at most 5 %: some 800 times here, and not 30 times.
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    [...['--stress-scavenge=5', '--fuzzer-random-seed=1'], '--input-type=module', '-e', program],
    { encoding: 'utf8', timeout: 120_000 },
  );
  assert.deepEqual([stdout, signal], ['{"wrong":0,"isOften":true}', null], stderr);
});
