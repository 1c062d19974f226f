import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
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
/** A network namespace needs more permissions than a capture. */
const skipOwnNetwork =
  spawnSync('unshare', ['--net', '--mount', 'ip', 'link']).status === 0
    ? skip
    : 'a network namespace with devices of its own needs root, unshare and ip (iproute2)';
const lines: string[] = [];
const log = createLogger({
  name: 'test',
  telemetry: noTelemetry,
  destination: { write: (line: string) => void lines.push(line) },
});
const loopback = readNetworkLink('lo');
const options = { onlyReceived: true, promiscuous: false, filter: [] };

/** Takes the packets for one address; the address of a packet of IPv4 is 30 bytes behind the beginning of its frame. */
const onlyTo = (address: string) => [
  { op: 0x20, jt: 0, jf: 0, k: 30 },
  { op: 0x15, jt: 0, jf: 1, k: Buffer.from(address.split('.').map(Number)).readUInt32BE() },
  { op: 0x06, jt: 0, jf: 0, k: 0xffff },
  { op: 0x06, jt: 0, jf: 0, k: 0 },
];

/** More than a capture has room for, as other programs of a busy machine may send before it is read. */
async function sendOfOthers(): Promise<void> {
  await using sender = createSocket('udp4');
  const packet = Buffer.alloc(1400);
  for (let round = 0; round < 40; round += 1)
    await Promise.all(
      Array.from({ length: 100 }, () => new Promise((sent) => sender.send(packet, 9, '127.77.1.9', sent))),
    );
}

test('a capture ends when its signal aborts, closes its socket and logs its counts', {
  skip,
}, async () => {
  const sockets = () => readFileSync('/proc/self/net/packet', 'utf8').trim().split('\n').length;
  const before = sockets();
  const stop = new AbortController();
  const sender = createSocket('udp4');
  {
    const filter = onlyTo('127.77.1.8');
    using capture = await createPacketCapturer(log).open(loopback, { ...options, filter });
    assert.equal(sockets(), before + 1);
    await sendOfOthers();
    sender.send('hello', 9, '127.77.1.8', () => sender.close());
    for await (const { data } of capture.packets(stop.signal)) {
      if (data.includes('hello')) stop.abort();
    }
  }
  assert.equal(sockets(), before);
  const { msg, passed, lost } = JSON.parse(lines.at(-1) ?? '{}');
  assert.deepEqual([msg, passed > 0, lost], ['packet capture ended', true, 0]);
});

test('the number of captures is limited, and the end of one frees its place', {
  skip,
}, async () => {
  const capturer = createPacketCapturer(log);
  using scope = new DisposableStack();
  for (let count = 0; count < 8; count += 1) scope.use(await capturer.open(loopback, options));
  await assert.rejects(capturer.open(loopback, options), {
    kind: 'resource-exhausted',
    message: '8 captures are running already: end one of them',
  });
  scope.dispose();
  (await capturer.open(loopback, options))[Symbol.dispose]();
});

test('a process without CAP_NET_RAW fails with one line, and does not load the add-on', () => {
  const source = pathToFileURL(join(import.meta.dirname, 'capture-packets.ts')).href;
  const program = `
    const { readFileSync } = await import('node:fs');
    const { createPacketCapturer } = await import(${JSON.stringify(source)});
    const { kind, message } = await createPacketCapturer().open(${JSON.stringify(loopback)}, ${JSON.stringify(options)}).catch((error) => error);
    console.log(kind + ': ' + message, readFileSync('/proc/self/maps', 'utf8').includes('koffi'));`;
  const words = [process.execPath, '--input-type=module', '-e', program];
  // Root gets the capabilities of the bounding set; other users have none anyway.
  const [command = '', ...args] = mayCapture ? ['setpriv', '--bounding-set', '-net_raw', ...words] : words;
  assert.equal(
    execFileSync(command, args, { encoding: 'utf8' }),
    'permission-denied: capturing packets needs CAP_NET_RAW: machined runs without it, as an ordinary user or in a container false\n',
  );
});

test('a capture is promiscuous while it runs, and ends when its device is removed', {
  skip: skipOwnNetwork,
}, () => {
  const source = pathToFileURL(join(import.meta.dirname, 'capture-packets.ts')).href;
  const linux = import.meta.resolve('@nodewright/linux');
  const program = `
    const { execFileSync } = await import('node:child_process');
    const { createPacketCapturer } = await import(${JSON.stringify(source)});
    const { readNetworkLink } = await import(${JSON.stringify(linux)});
    const ip = (...words) => execFileSync('ip', words, { encoding: 'utf8' });
    const promiscuity = () => /promiscuity (\\d+)/.exec(ip('-d', 'link', 'show', 'test0'))?.[1];
    const log = { info: () => {}, warn: () => {} };
    const open = () => createPacketCapturer(log).open(readNetworkLink('test0'), ${JSON.stringify({ ...options, promiscuous: true })});
    ip('link', 'add', 'test0', 'type', 'veth', 'peer', 'name', 'test1');
    const first = await open();
    const during = promiscuity();
    first[Symbol.dispose]();
    const after = promiscuity();
    const second = await open();
    setTimeout(() => ip('link', 'del', 'test0'), 100);
    try {
      for await (const _ of second.packets(AbortSignal.timeout(60_000)));
    } catch ({ kind, message }) {
      console.log(during, after, kind + ': ' + message);
    }`;
  // In a network namespace with its own sysfs, so that this machine's devices are unchanged.
  const words = ['--net', '--mount', 'sh', '-c', 'mount -t sysfs none /sys && exec "$@"', 'sh'];
  const node = [process.execPath, '--input-type=module', '-e', program];
  assert.equal(
    execFileSync('unshare', [...words, ...node], { encoding: 'utf8' }),
    '1 0 unavailable: interface "test0" was removed\n',
  );
});
