// A reader of logs stops reading while megabytes are written: a line in its stream reports exactly how many
// bytes it has missed.
import assert from 'node:assert/strict';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { startNode } from './harness/node-under-test.ts';

const lineBytes = 100;
const lineOf = (number: number) => `${`line ${number} `.padEnd(lineBytes - 1, 'x')}\n`;

test('a reader that falls behind by megabytes receives a line about every gap', async () => {
  await using node = await startNode({ services: 'external' });
  const folder = join(node.root, 'var', 'log', 'apid');
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'apid.log');
  await appendFile(path, lineOf(0));
  await eventually(async () => (await node.log('apid').catch(() => '')) === lineOf(0), {
    what: 'first line',
  });

  const stop = new AbortController();
  const machine = node.client(MachineServiceDefinition, 'os:reader');
  const request = { namespace: 'system', id: 'apid', follow: true, tailLines: -1 };
  const pieces = machine.logs(request, { signal: stop.signal })[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  const readOne = async () => read.push(Buffer.from((await pieces.next()).value?.bytes ?? ''));
  await readOne();

  const total = 150_000;
  for (let number = 1; number < total; number += 1000) {
    const lines = Array.from({ length: Math.min(1000, total - number) }, (_, at) => lineOf(number + at));
    await appendFile(path, lines.join(''));
  }
  const isTaken = async () => (await node.log('apid')).endsWith(lineOf(total - 1));
  await eventually(isTaken, { what: 'last line' });
  await sleep(100);
  const isAtEnd = () =>
    Buffer.concat(read.slice(-2))
      .toString()
      .endsWith(lineOf(total - 1));
  while (!isAtEnd()) await readOne();
  const text = Buffer.concat(read).toString();
  stop.abort();

  let next = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const [, lost] =
      /^\[(\d+) bytes of this log were lost: they were written faster than read\]$/.exec(line) ?? [];
    // When a gap begins inside a line, the whole line counts as missed.
    if (lost !== undefined) next += Math.ceil(Number(lost) / lineBytes);
    else if (`${line}\n` === lineOf(next)) next += 1;
    else assert.ok(lineOf(next).startsWith(line), `line ${next}: ${line.slice(0, 40)}`);
  }
  assert.ok(text.includes(' bytes of this log were lost'), 'the reader was quick enough to miss nothing');
  assert.equal(next, total);
});
