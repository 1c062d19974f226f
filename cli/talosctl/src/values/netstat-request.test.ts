import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netstatRequest, type SocketFlags } from './netstat-request.ts';

const protocols = (flags: SocketFlags) =>
  Object.entries(netstatRequest(flags).l4proto ?? {})
    .filter(([, isOn]) => isOn)
    .map(([name]) => name)
    .join(' ');

test('netstatRequest() selects TCP and UDP over IPv4 and IPv6 by default', () => {
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

test('netstatRequest() selects connections, listeners or both, and processes with --programs', () => {
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

test('netstatRequest() selects the host namespace, also all others with -k, or one alone', () => {
  assert.deepEqual(
    [netstatRequest({}).netns, netstatRequest({ pods: true }).netns, netstatRequest({}, 'cni-1').netns],
    [
      { hostnetwork: true, netns: [], allnetns: false },
      { hostnetwork: true, netns: [], allnetns: true },
      { hostnetwork: false, netns: ['cni-1'], allnetns: false },
    ],
  );
});
