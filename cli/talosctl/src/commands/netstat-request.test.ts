import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netstatRequest, type SocketFlags } from './netstat-request.ts';

const protocols = (flags: SocketFlags) =>
  Object.entries(netstatRequest(flags).l4proto ?? {})
    .filter(([, isOn]) => isOn)
    .map(([name]) => name)
    .join(' ');

test('netstatRequest() asks for TCP and UDP of both families unless told otherwise', () => {
  const rows: [SocketFlags, string][] = [
    [{}, 'tcp tcp6 udp udp6'],
    [{ tcp: true }, 'tcp tcp6'],
    [{ udp: true, raw: true }, 'udp udp6 raw raw6'],
    [{ udplite: true, ipv6: true }, 'udplite6'],
    [{ ipv4: true }, 'tcp udp'],
    [{ ipv6: true }, 'tcp6 udp6'],
    [{ ipv4: true, ipv6: true }, 'tcp tcp6 udp udp6'],
    [{ verbose: true }, 'tcp tcp6 udp udp6 udplite udplite6 raw raw6'],
    [{ verbose: true, ipv4: true }, 'tcp udp udplite raw'],
  ];
  for (const [flags, text] of rows) assert.equal(protocols(flags), text);
});

test('netstatRequest() takes connections, listeners or all of them, and the processes when asked', () => {
  const of = (flags: SocketFlags) => {
    const { filter, feature } = netstatRequest(flags);
    return [filter, feature?.pid];
  };
  assert.deepEqual(
    [of({}), of({ listening: true, programs: true }), of({ all: true, listening: true })],
    [
      [1, false],
      [2, true],
      [0, false],
    ],
  );
});

test('netstatRequest() looks into the host, with -k into every namespace too, or into one alone', () => {
  assert.deepEqual(
    [netstatRequest({}).netns, netstatRequest({ pods: true }).netns, netstatRequest({}, 'cni-1').netns],
    [
      { hostnetwork: true, netns: [], allnetns: false },
      { hostnetwork: true, netns: [], allnetns: true },
      { hostnetwork: false, netns: ['cni-1'], allnetns: false },
    ],
  );
});
