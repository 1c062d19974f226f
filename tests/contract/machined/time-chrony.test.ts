// time.TimeService against a foreign NTP server: a separate chronyd on loopback that does not set any clock.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';
import { querySntp } from '@nodewright/sntp';
import { eventually } from '@nodewright/testkit';
import { ownAddress, startNode } from './harness/node-under-test.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
/** Debian puts it where only root looks. CI unpacks it without installing it, so that no service starts. */
const folders = [
  join(checkout, '_out', 'chrony', 'usr', 'sbin'),
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/local/sbin',
];
const chronyd = folders.map((folder) => join(folder, 'chronyd')).find((path) => existsSync(path));
const skip = chronyd === undefined ? 'a real NTP server is missing: apt-get install chrony' : false;
const port = 50_123;

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());

/** Starts chronyd with the local clock as source, stratum 5, and waits until it answers. */
async function startChronyd(address: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chrony-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o750);
  const lines = [
    `port ${port}`,
    `bindaddress ${address}`,
    'allow 127.0.0.0/8',
    'local stratum 5',
    'cmdport 0',
    'bindcmdaddress /',
    `pidfile ${join(folder, 'chronyd.pid')}`,
  ];
  await writeFile(join(folder, 'chrony.conf'), `${lines.join('\n')}\n`);
  const words = ['-x', '-d', '-U', '-u', userInfo().username, '-f', join(folder, 'chrony.conf')];
  const child = spawn(chronyd as string, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'exit');
  scope.defer(async () => {
    child.kill();
    await ended;
  });
  const server = `${address}:${port}`;
  await eventually(async () => (await querySntp({ server, timeoutMs: 500 })).stratum === 5, {
    what: 'answer of chronyd',
    explain: () => output,
  });
  return server;
}

const unixMs = (time: { seconds: bigint; nanos: number } | undefined) =>
  Number(time?.seconds) * 1000 + (time?.nanos ?? 0) / 1e6;

test('Time and TimeCheck understand chronyd, which serves this machine’s own clock', { skip }, async () => {
  const server = await startChronyd(ownAddress());
  const node = scope.use(await startNode({ timeServer: server }));
  const client = node.client(TimeServiceDefinition, 'os:reader');
  for (const reply of [await client.time({}), await client.timeCheck({ server })]) {
    const [time] = reply.messages;
    assert.deepEqual([reply.messages.length, time?.server, time?.metadata], [1, server, undefined]);
    assert.ok(Math.abs(unixMs(time?.localtime) - Date.now()) < 5000);
    // Both are the clock of this machine; a busy machine may delay between two packets.
    assert.ok(Math.abs(unixMs(time?.remotetime) - unixMs(time?.localtime)) < 5000);
  }
});
