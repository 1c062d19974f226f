// netstat, dmesg and pcap, character by character.
import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  ContainersResponse,
  DmesgRequest,
  NetstatRequest,
  NetstatResponse,
  NetworkDeviceStatsResponse,
  PacketCaptureRequest,
} from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { reply } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openSuite, sortedRows } from './suite.ts';

const send = (call: FakeCall, bytes: Buffer) => call.send(Data.encode(Data.fromPartial({ bytes })).finish());

const requests: NetstatRequest[] = [];
const netstat: FakeHandler = (call) => {
  const request = NetstatRequest.decode(call.request);
  requests.push(request);
  if (call.node === 'empty') return reply(call, NetstatResponse, { messages: [{}] });
  const listener = {
    l4proto: 'tcp',
    localip: '127.0.0.1',
    localport: 50_000,
    remoteip: '0.0.0.0',
    state: 10 as const,
  };
  const connectrecord = [
    { ...listener, uid: 50, inode: 1234n, process: { pid: 7, name: 'apid' } },
    {
      l4proto: 'tcp6',
      localip: '::1',
      localport: 40_000,
      remoteip: '::1',
      remoteport: 443,
      state: 1 as const,
      txqueue: 5n,
      rxqueue: 18_446_744_073_709_551_615n,
      tr: 1 as const,
      timerwhen: 25n,
      retrnsmt: 2n,
      timeout: 3n,
      process: {},
      netns: 'cni-1',
    },
    {
      l4proto: 'udp',
      localip: '0.0.0.0',
      localport: 53,
      remoteip: '0.0.0.0',
      state: 7 as const,
      process: {},
    },
  ];
  reply(call, NetstatResponse, { messages: [{ connectrecord }] });
};

const containers: FakeHandler = (call) =>
  call.node === 'node02'
    ? reply(call, ContainersResponse, { messages: [{}] })
    : reply(call, ContainersResponse, {
        messages: [
          {
            containers: [
              { id: 'kube-system/dns', podId: 'kube-system/dns', networkNamespace: 'cni-1' },
              { id: 'kube-system/dns:dns:0123', podId: 'kube-system/dns' },
            ],
          },
        ],
      });

const dmesg: FakeHandler = (call) => {
  const { follow, tail } = DmesgRequest.decode(call.request);
  if (!tail) send(call, Buffer.from('kern:    info: [2026-08-14T12:00:00Z]: first\n KEY=value\n'));
  send(call, Buffer.from('user: warning: [2026-08-14T12:00:01.5Z]: second\n'));
  if (!follow) call.end();
};

const header = Buffer.from(`4d3cb2a1020004000000000000000000${'00100000'}01000000`, 'hex');
const frame = Buffer.from(
  '02420a05000302420a0500020800450000200000000040110000' + '0a0500020a0500039c400035000c0000' + '74657374',
  'hex',
);
const record = Buffer.alloc(16);
record.writeUInt32LE(Date.UTC(2026, 7, 14, 12) / 1000, 0);
record.writeUInt32LE(42, 4);
record.writeUInt32LE(frame.length, 8);
record.writeUInt32LE(frame.length, 12);
const captures: PacketCaptureRequest[] = [];
let goneCaptures = 0;
const packetCapture: FakeHandler = (call) => {
  const request = PacketCaptureRequest.decode(call.request);
  captures.push(request);
  call.signal.addEventListener('abort', () => {
    goneCaptures += 1;
  });
  if (request.interface === 'none') return call.fail(5, 'interface "none" not found');
  for (const piece of [header, record, frame, record, frame]) send(call, piece);
  // It continues until the client cancels, unless the test ends it.
  if (request.interface === 'ends') call.end();
};

const suite = openSuite({
  '/machine.MachineService/Netstat': netstat,
  '/machine.MachineService/Containers': containers,
  '/machine.MachineService/Dmesg': dmesg,
  '/machine.MachineService/NetworkDeviceStats': (call) =>
    reply(call, NetworkDeviceStatsResponse, {
      messages: [{ devices: [{ name: 'lo' }, { name: call.node === 'node02' ? 'eth1' : 'eth0' }] }],
    }),
  '/machine.MachineService/PacketCapture': packetCapture,
});
const packetText = '2026-08-14T12:00:00.000000042Z IPv4 10.5.0.2:40000 > 10.5.0.3:53 UDP length 4\n';

test('netstat prints one row per socket; a closed one has no state, and a missing port is a star', async () => {
  assert.equal(
    (await suite.run('-n', 'node01', 'netstat', '-a')).stdout,
    `NODE     Proto   Recv-Q                 Send-Q   Local Address     Foreign Address   State
node01   tcp     0                      0        127.0.0.1:50000   0.0.0.0:*         LISTEN
node01   tcp6    18446744073709551615   5        ::1:40000         ::1:443           ESTABLISHED
node01   udp     0                      0        0.0.0.0:53        0.0.0.0:*         ${''}
`,
  );
});

test('netstat adds columns in a fixed order, whatever the order of the flags', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'ss', '-okpx');
  const [titles = '', ...rows] = stdout.trimEnd().split('\n');
  assert.match(titles, /State {9}Uid {3}Inode {3}PID\/Program name {3}Pod {15}Timer$/);
  assert.deepEqual(
    rows.map((row) => row.slice(titles.indexOf('Uid')).trimEnd().split(/ {3,}/)),
    [
      ['50', '1234', '7/apid', 'off (0.00/0/0)'],
      ['0', '0', '-', 'kube-system/dns', 'on (0.25/2/3)'],
      ['0', '0', '-', 'off (0.00/0/0)'],
    ],
  );
});

test('netstat requests exactly what its flags select', async () => {
  requests.length = 0;
  await suite.run('-n', 'node01', 'netstat', '-l', '-t', '-4', '-p');
  assert.deepEqual(
    requests.map(({ filter, feature, l4proto, netns }) => [
      filter,
      feature?.pid,
      l4proto?.tcp,
      l4proto?.tcp6,
      l4proto?.udp,
      netns,
    ]),
    [[2, true, true, false, false, { hostnetwork: true, netns: [], allnetns: false }]],
  );
});

test('netstat of a pod calls only the node that has it, for its network namespace', async () => {
  requests.length = 0;
  const { stdout, exitCode } = await suite.run('netstat', 'kube-system/dns');
  assert.deepEqual([exitCode, sortedRows(stdout).length], [0, 3]);
  assert.deepEqual(
    requests.map(({ netns }) => netns),
    [{ hostnetwork: false, netns: ['cni-1'], allnetns: false }],
  );
  const missing = await suite.run('netstat', 'kube-system/none');
  assert.deepEqual(
    [missing.exitCode, missing.stdout, missing.stderr],
    [1, '', 'error: pod "kube-system/none" runs on none of the nodes\n'],
  );
  assert.match(
    (await suite.run('netstat', 'dns')).stderr,
    /^error: "dns" is not a pod: write namespace\/pod; see "talosctl netstat --help"\n$/,
  );
});

test('netstat prints no header without rows, and JSON with either spelling', async () => {
  assert.deepEqual(await suite.run('-n', 'empty', 'netstat'), { stdout: '', stderr: '', exitCode: 0 });
  const outputs = await Promise.all([
    suite.run('-n', 'node01', 'netstat', '-o', 'json'),
    suite.run('-n', 'node01', 'netstat', '--output', 'json'),
  ]);
  assert.equal(outputs[0]?.stdout, outputs[1]?.stdout);
  const [node] = JSON.parse(outputs[0]?.stdout ?? '');
  assert.deepEqual(
    [node.node, node.sockets.length, node.sockets[0].localip, node.sockets[0].process],
    ['node01', 3, '127.0.0.1', { pid: 7, name: 'apid' }],
  );
  assert.match(outputs[0]?.stdout ?? '', /"rxqueue": 18446744073709551615/);
});

test('dmesg prints each message with its node and adds nothing', async () => {
  assert.equal(
    (await suite.run('-n', 'node01', 'dmesg')).stdout,
    `node01: kern:    info: [2026-08-14T12:00:00Z]: first
 KEY=value
node01: user: warning: [2026-08-14T12:00:01.5Z]: second
`,
  );
  const { stdout, exitCode } = await suite.run('dmesg', '--tail');
  assert.deepEqual(
    [exitCode, stdout.trimEnd().split('\n').sort()],
    [0, ['node01', 'node02'].map((node) => `${node}: user: warning: [2026-08-14T12:00:01.5Z]: second`)],
  );
});

test('dmesg -o json is a list with one entry per message', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'dmesg', '-o', 'json');
  assert.deepEqual(JSON.parse(stdout), [
    { node: 'node01', message: 'kern:    info: [2026-08-14T12:00:00Z]: first\n KEY=value' },
    { node: 'node01', message: 'user: warning: [2026-08-14T12:00:01.5Z]: second' },
  ]);
});

test('dmesg -f continues until it is interrupted, which is no failure', async () => {
  const child = suite.talosctl.start(['-n', 'node01', 'dmesg', '-f'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  let seen = '';
  child.stdout?.on('data', (text: Buffer) => {
    seen += text.toString();
  });
  const result = finished(child);
  await eventually(() => seen.includes('second'), { what: 'messages' });
  child.kill('SIGINT');
  assert.equal((await result).exitCode, 0);
});

test('pcap prints one line per packet, and ends with its duration', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'pcap', '--duration', '700ms');
  assert.deepEqual({ stdout, stderr, exitCode }, { stdout: packetText.repeat(2), stderr: '', exitCode: 0 });
  const { interface: name, promiscuous, bpfFilter } = captures.at(-1) as PacketCaptureRequest;
  assert.deepEqual([name, promiscuous, bpfFilter], ['eth0', false, []]);
  await eventually(() => goneCaptures > 0, { what: 'end of the capture at the node' });
});

test('pcap -o writes the capture unchanged, to a file or to the standard output', async () => {
  const path = join(suite.cluster.folder, 'capture.pcap');
  const capture = Buffer.concat([header, record, frame, record, frame]);
  const { stdout, exitCode } = await suite.run('-n', 'node01', 'tcpdump', '-i', 'ends', '-o', path);
  assert.deepEqual([stdout, exitCode], ['', 0]);
  assert.deepEqual(readFileSync(path), capture);
  const child = suite.talosctl.start(['-n', 'node01', 'pcap', '-i', 'ends', '-o', '-'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const pieces: Buffer[] = [];
  child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual(Buffer.concat(pieces), capture);
});

test('pcap --json is a list of the decoded packets', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'pcap', '-i', 'ends', '--json');
  const packets = JSON.parse(stdout);
  assert.deepEqual(
    [packets.length, packets[0].transport, packets[0].destinationPort, packets[0].lengthBytes],
    [2, 'UDP', 53, frame.length],
  );
});

test('pcap sends the program of tcpdump -dd, and rejects an expression', async () => {
  const program = '{ 0x28, 0, 0, 0x0000000c },\n{ 0x6, 0, 0, 0x00040000 },';
  const words = ['-n', 'node01', 'pcap', '-i', 'ends', '--promiscuous', '--bpf-filter'];
  await suite.run(...words, program);
  const { promiscuous, bpfFilter } = captures.at(-1) as PacketCaptureRequest;
  assert.deepEqual(
    [promiscuous, bpfFilter],
    [
      true,
      [
        { op: 40, jt: 0, jf: 0, k: 12 },
        { op: 6, jt: 0, jf: 0, k: 262_144 },
      ],
    ],
  );
  const { stderr, exitCode } = await suite.run(...words, 'tcp port 80');
  assert.equal(exitCode, 1);
  assert.match(stderr, /"tcp port 80" is no instruction: it must be the text that "tcpdump -dd" prints/);
});

test('pcap accepts one node, reports why a node refuses, and then keeps an existing file unchanged', async () => {
  const several = await suite.run('pcap', '-i', 'ends');
  assert.equal(several.exitCode, 1);
  assert.match(several.stderr, /^error: command pcap works on one node, and 2 are named/);
  const path = join(suite.cluster.folder, 'none.pcap');
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'pcap', '-i', 'none', '-o', path);
  assert.deepEqual(
    [stdout, stderr, exitCode, existsSync(path)],
    ['', 'error from node node01: rpc error: code = NotFound desc = interface "none" not found\n', 1, false],
  );
  const unwritable = await suite.run('-n', 'node01', 'pcap', '-i', 'ends', '-o', join(path, 'x'));
  assert.equal(unwritable.exitCode, 1);
  assert.match(unwritable.stderr, /^error: .*: folder ".*" does not exist\n$/);
});

test('an interrupted pcap succeeds, and the received packets replace the old file behind a link', async () => {
  const folder = mkdtempSync(join(suite.cluster.folder, 'pcap-'));
  const [path, target] = [join(folder, 'interrupted.pcap'), join(folder, 'real.pcap')];
  writeFileSync(target, 'the last capture');
  symlinkSync(target, path);
  const draft = () => {
    const name = readdirSync(folder).find((each) => each.endsWith('.partial'));
    return name === undefined ? Buffer.of() : readFileSync(join(folder, name));
  };
  const child = suite.talosctl.start(['-n', 'node01', 'pcap', '-o', path], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const result = finished(child);
  const whole = header.length + 2 * (record.length + frame.length);
  await eventually(() => draft().length === whole, { what: 'capture in the draft' });
  assert.equal(readFileSync(path, 'utf8'), 'the last capture');
  child.kill('SIGINT');
  assert.equal((await result).exitCode, 0);
  assert.equal(readFileSync(target).length, whole);
  assert.equal(lstatSync(path).isSymbolicLink(), true);
  assert.deepEqual(readdirSync(folder).sort(), ['interrupted.pcap', 'real.pcap']);
});

test('pcap whose terminal is closed leaves a whole capture, and one that is killed at once the old file', async () => {
  for (const [signals, size] of [
    [['SIGHUP'], header.length + 2 * (record.length + frame.length)],
    [['SIGKILL'], 'old'.length],
  ] as const) {
    const path = join(mkdtempSync(join(suite.cluster.folder, 'pcap-')), 'a.pcap');
    writeFileSync(path, 'old');
    const child = suite.talosctl.start(['-n', 'node01', 'pcap', '-o', path], {
      environment: { TALOSCONFIG: suite.talosconfig },
    });
    const result = finished(child);
    const whole = header.length + 2 * (record.length + frame.length);
    const drafts = () => readdirSync(dirname(path)).filter((each) => each.endsWith('.partial'));
    await eventually(() => drafts().some((each) => statSync(join(dirname(path), each)).size === whole), {
      what: 'capture in the draft',
    });
    for (const signal of signals) child.kill(signal);
    await result;
    assert.equal(readFileSync(path).length, size);
    if (signals[0] !== 'SIGKILL') assert.deepEqual(drafts(), []);
  }
});

test('completion of pcap reads the interfaces from the nodes', async () => {
  const offered = async (...words: string[]) =>
    (await suite.run('__complete', ...words)).stdout.trimEnd().split('\n');
  assert.deepEqual(await offered('pcap', '-i', ''), ['eth0', 'eth1', 'lo']);
  assert.deepEqual(await offered('pcap', '-n', 'node02', '--interface', 'eth'), ['eth1']);
  assert.deepEqual(await offered('netstat', ''), ['']);
});
