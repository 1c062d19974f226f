// talosctl replay: an archive that is made up, and what commands show of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { SequenceEvent } from '@nodewright/contract/gen/machine/machine.ts';
import { strToU8, zipSync } from 'fflate';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const suite = openSuite();
const collected = '2026-01-10T09:00:00Z';

/** The id of an event at this time. */
function eventId(time: string): string {
  let bits = BigInt(Date.parse(time) / 1000) << 64n;
  let id = '';
  // 96 bits, and four zeros behind them, five bits a character.
  bits <<= 4n;
  for (let at = 0; at < 20; at++, bits >>= 5n) id = Number(bits & 31n).toString(32) + id;
  return id;
}

const value = Buffer.from(
  SequenceEvent.encode(SequenceEvent.fromPartial({ sequence: 'boot', action: 1 })).finish(),
).toString('base64');
const times = ['2026-01-10T08:00:00Z', '2026-01-10T08:50:00Z', '2026-01-10T08:59:30Z'];
const events = times.map((time) =>
  JSON.stringify({
    ...{ id: eventId(time), actorId: '', data: { typeUrl: 'talos/runtime/machine.SequenceEvent', value } },
  }),
);

/** The times of the events that a command shows of an archive. */
async function eventTimes(archive: string, words: readonly string[], count: number): Promise<string[]> {
  const replay = suite.talosctl.start(['replay', archive, '-o', 'json']);
  using _replay = { [Symbol.dispose]: () => void replay.kill('SIGKILL') };
  if (replay.stdout === null) throw new Error('the output is not piped');
  let shown = '';
  for await (const line of createInterface(replay.stdout)) {
    shown += line;
    if (line === '}') break;
  }
  const { talosconfig } = JSON.parse(shown) as { talosconfig: string };
  const reading = suite.talosctl.start(['-n', 'node01', 'events', ...words, '-o', 'json'], {
    environment: { TALOSCONFIG: talosconfig },
  });
  const result = finished(reading);
  let lines = 0;
  // The command follows the node: it is ended after what is expected, and a little later if nothing comes.
  const late = setTimeout(() => reading.kill('SIGINT'), count === 0 ? 2_000 : 15_000);
  reading.stdout?.on('data', (text: string) => {
    lines += text.split('\n').length - 1;
    if (lines >= count) reading.kill('SIGINT');
  });
  const { stdout } = await result;
  clearTimeout(late);
  const told = stdout.split('\n').filter((line) => line !== '');
  return told.map((line) => (JSON.parse(line) as { time: string }).time);
}

function archiveOf(name: string, about: object | undefined): string {
  const path = join(suite.cluster.folder, name);
  const files = {
    'node01/events.jsonl': strToU8(`${events.join('\n')}\n`),
    'node01/summary': strToU8('Tag:         v1.14.0\n'),
    ...(about && { 'support.json': strToU8(JSON.stringify(about)) }),
  };
  writeFileSync(path, zipSync(files));
  return path;
}

test('events --duration of an archive counts back from its collection', async () => {
  const archive = archiveOf('own.zip', { collected });
  assert.deepEqual(await eventTimes(archive, ['--duration', '10m'], 2), times.slice(1));
  assert.deepEqual(await eventTimes(archive, ['--duration', '5s'], 0), []);
});

test("events --duration of upstream's archive, which has no time, counts back from the last event", async () => {
  const archive = archiveOf('upstream.zip', undefined);
  assert.deepEqual(await eventTimes(archive, ['--duration', '10m'], 2), times.slice(1));
  assert.deepEqual(await eventTimes(archive, ['--duration', '5s'], 1), times.slice(2));
});
