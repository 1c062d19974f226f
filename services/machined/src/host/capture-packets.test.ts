import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { capabilities, hasCapability, readNetworkLink } from '@nodewright/linux';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { createPacketCapturer } from './capture-packets.ts';

const mayCapture = hasCapability(capabilities.netRaw);
const skip = mayCapture ? false : 'capturing packets needs CAP_NET_RAW: run as root';
const lines: string[] = [];
const log = createLogger({
  name: 'test',
  telemetry: noTelemetry,
  destination: { write: (line: string) => void lines.push(line) },
});
const onLoopback = {
  linkIndex: readNetworkLink('lo').index,
  onlyReceived: true,
  promiscuous: false,
  filter: [],
};

test('a capture ends when its signal aborts, closes its socket and tells what it took', {
  skip,
}, async () => {
  const sockets = () => readFileSync('/proc/self/net/packet', 'utf8').trim().split('\n').length;
  const before = sockets();
  const stop = new AbortController();
  const sender = createSocket('udp4');
  {
    using capture = await createPacketCapturer(log).open(onLoopback);
    assert.equal(sockets(), before + 1);
    sender.send('hello', 9, '127.77.1.8', () => sender.close());
    for await (const { data } of capture.packets(stop.signal)) {
      if (data.includes('hello')) stop.abort();
    }
  }
  assert.equal(sockets(), before);
  const { msg, passed, lost } = JSON.parse(lines.at(-1) ?? '{}');
  assert.deepEqual([msg, passed > 0, lost], ['packet capture ended', true, 0]);
});

test('there are so many captures at once and no more, and a place that is given back is free', {
  skip,
}, async () => {
  const capturer = createPacketCapturer(log);
  using scope = new DisposableStack();
  for (let count = 0; count < 8; count += 1) scope.use(await capturer.open(onLoopback));
  await assert.rejects(capturer.open(onLoopback), {
    kind: 'resource-exhausted',
    message: '8 captures run already: end one of them',
  });
  scope.dispose();
  (await capturer.open(onLoopback))[Symbol.dispose]();
});

test('a process without CAP_NET_RAW hears so in one line, and loads no add-on for it', () => {
  const source = pathToFileURL(join(import.meta.dirname, 'capture-packets.ts')).href;
  const program = `
    const { readFileSync } = await import('node:fs');
    const { createPacketCapturer } = await import(${JSON.stringify(source)});
    const { kind, message } = await createPacketCapturer().open(${JSON.stringify(onLoopback)}).catch((error) => error);
    console.log(kind + ': ' + message, readFileSync('/proc/self/maps', 'utf8').includes('koffi'));`;
  const words = [process.execPath, '--input-type=module', '-e', program];
  // Root keeps what is in the bounding set; whoever is not root lacks it anyway.
  const [command = '', ...args] = mayCapture ? ['setpriv', '--bounding-set', '-net_raw', ...words] : words;
  assert.equal(
    execFileSync(command, args, { encoding: 'utf8' }),
    'permission-denied: capturing packets needs CAP_NET_RAW: machined runs without it, as an ordinary user or in a container false\n',
  );
});
