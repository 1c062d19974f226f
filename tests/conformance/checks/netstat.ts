import assert from 'node:assert/strict';
import {
  type ConnectRecord,
  ConnectRecord_State,
  NetstatRequest_Filter,
} from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { expectFailure, only } from './expect.ts';

type Request = Parameters<typeof machine.netstat.encode>[0];
const apidPort = 50_000;
const tcp = { tcp: true, tcp6: true };
const everyProtocol = {
  ...tcp,
  ...{ udp: true, udp6: true, udplite: true, udplite6: true, raw: true, raw6: true },
};

async function netstat({ admin }: Subject, request: Request): Promise<ConnectRecord[]> {
  const { connectrecord } = only(
    await admin.unary(machine.netstat, { netns: { hostnetwork: true }, ...request }),
  );
  return connectrecord;
}

const isUnspecified = (ip: string) => ip === '0.0.0.0' || ip === '::';

export const netstatChecks = checksOf(machine.netstat, {
  'netstat.listening': [
    'LISTENING lists sockets without a peer in state LISTEN, including that of apid on port 50000',
    async (subject) => {
      const records = await netstat(subject, { filter: NetstatRequest_Filter.LISTENING, l4proto: tcp });
      assert.ok(records.every(({ remoteip, remoteport }) => isUnspecified(remoteip) && remoteport === 0));
      assert.ok(
        records.some(
          ({ localport, state }) => localport === apidPort && state === ConnectRecord_State.LISTEN,
        ),
        'no socket listens on port 50000',
      );
    },
  ],
  'netstat.connected': [
    'CONNECTED lists sockets with a peer, including this connection to apid',
    async (subject) => {
      const records = await netstat(subject, { filter: NetstatRequest_Filter.CONNECTED, l4proto: tcp });
      assert.ok(records.every(({ remoteip, remoteport }) => !isUnspecified(remoteip) && remoteport !== 0));
      assert.ok(
        records.some(
          ({ localport, state }) => localport === apidPort && state === ConnectRecord_State.ESTABLISHED,
        ),
        'no socket is connected to port 50000',
      );
    },
  ],
  'netstat.all': [
    'ALL, the default, lists both',
    async (subject) => {
      const records = await netstat(subject, { l4proto: tcp });
      const states = new Set(records.map(({ state }) => state));
      assert.ok(states.has(ConnectRecord_State.LISTEN) && states.has(ConnectRecord_State.ESTABLISHED));
    },
  ],
  'netstat.protocols': [
    "only the requested protocols are listed, under the names of the kernel's files; without a request, none are",
    async (subject) => {
      assert.deepEqual(await netstat(subject, {}), []);
      assert.deepEqual(await netstat(subject, { l4proto: {} }), []);
      for (const name of ['tcp', 'udp', 'tcp6'] as const) {
        const others = (await netstat(subject, { l4proto: { [name]: true } })).filter(
          ({ l4proto }) => l4proto !== name,
        );
        assert.deepEqual(others, []);
      }
    },
  ],
  'netstat.addresses': [
    'addresses are printed in their usual text form, with IPv4-mapped IPv6 addresses in dotted form',
    async (subject) => {
      for (const { localip, remoteip } of await netstat(subject, { l4proto: everyProtocol })) {
        for (const ip of [localip, remoteip]) {
          assert.match(ip, /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:]+)$/);
          assert.ok(!ip.startsWith('::ffff:'), ip);
        }
      }
    },
  ],
  'netstat.process': [
    "process is always set: empty unless requested, otherwise with the pid and name of the socket's process",
    async (subject) => {
      const plain = await netstat(subject, { l4proto: tcp });
      assert.ok(
        plain.every(({ process }) => process !== undefined && process.pid === 0 && process.name === ''),
      );
      const named = await netstat(subject, { l4proto: tcp, feature: { pid: true } });
      assert.ok(named.every(({ process }) => process !== undefined));
      const known = named.filter(({ process }) => (process?.pid ?? 0) > 0);
      assert.ok(
        known.length > 0 && known.every(({ process }) => process?.name !== ''),
        'no socket has a process',
      );
    },
  ],
  'netstat.host': [
    'sockets of the host have no network namespace name, and are listed only on request',
    async (subject) => {
      const records = await netstat(subject, { l4proto: tcp });
      assert.ok(records.length > 0 && records.every(({ netns }) => netns === ''));
      const { connectrecord } = only(await subject.admin.unary(machine.netstat, { l4proto: tcp }));
      assert.deepEqual(connectrecord, []);
    },
  ],
  'netstat.namespaces': [
    'sockets of all network namespaces have the name of theirs, and an unknown namespace gives no sockets',
    async ({ admin }) => {
      const ask = async (netns: NonNullable<Request['netns']>) =>
        only(await admin.unary(machine.netstat, { l4proto: everyProtocol, netns })).connectrecord;
      assert.ok((await ask({ allnetns: true })).every(({ netns }) => netns !== ''));
      assert.deepEqual(await ask({ netns: ['no-such-namespace'] }), []);
    },
  ],
  'netstat.filter': [
    'an unknown filter fails with INVALID_ARGUMENT "invalid filter: <v>"',
    async (subject) => {
      const filter = 9 as NetstatRequest_Filter;
      await expectFailure(
        netstat(subject, { filter, l4proto: tcp }),
        codes.invalidArgument,
        /^invalid filter: 9$/,
      );
    },
  ],
});
