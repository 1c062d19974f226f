// What `talosctl etcd` and `talosctl bootstrap` request from nodes, and what they print.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  BootstrapRequest,
  BootstrapResponse,
  EtcdAlarmDisarmResponse,
  EtcdAlarmListResponse,
  EtcdDefragmentResponse,
  EtcdDowngradeEnableRequest,
  EtcdDowngradeEnableResponse,
  EtcdForfeitLeadershipResponse,
  EtcdLeaveClusterResponse,
  EtcdMemberAlarm_AlarmType,
  EtcdMemberListRequest,
  EtcdMemberListResponse,
  EtcdRecoverResponse,
  EtcdRemoveMemberByIDRequest,
  EtcdRemoveMemberByIDResponse,
  EtcdStatusResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { buildBoltFile } from '../../../cli/talosctl/src/etcd/build-bolt-file.ts';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'etcd-command-'));
after(() => rmSync(folder, { recursive: true }));

const database = buildBoltFile([
  { name: 'key', pairs: [['\0\0\0\0\0\0\0\u0007_\0\0\0\0\0\0\0\0', 'value']] },
]);
const snapshot = Buffer.concat([database, createHash('sha256').update(database).digest()]);
let snapshotBytes: Buffer = snapshot;
const asked: string[] = [];
let leadingNode = '';
let failingDefragment = '';

const members = ['cp-1', 'cp-2'].map((hostname, index) => ({
  id: BigInt(index + 1),
  hostname,
  peerUrls: [`https://10.5.0.${index + 2}:2380`],
  clientUrls: [`https://10.5.0.${index + 2}:2379`],
  isLearner: index === 1,
}));

const status = {
  memberId: 1n,
  leader: 2n,
  dbSize: 2_424_832n,
  dbSizeInUse: 606_208n,
  raftIndex: 9n,
  raftTerm: 3n,
  raftAppliedIndex: 8n,
  protocolVersion: '3.7.3',
  storageVersion: '3.7.0',
  errors: ['one', 'two'],
};

const handlers: Record<string, FakeHandler> = {
  ...healthyCluster,
  '/machine.MachineService/EtcdMemberList': (call) => {
    asked.push(`local ${EtcdMemberListRequest.decode(call.request).queryLocal}`);
    reply(call, EtcdMemberListResponse, { messages: [{ members }] });
  },
  '/machine.MachineService/EtcdStatus': (call) => {
    if (leadingNode !== '') asked.push(`status ${call.node}`);
    const memberId = call.node === leadingNode ? status.leader : status.memberId;
    reply(call, EtcdStatusResponse, { messages: [{ memberStatus: { ...status, memberId } }] });
  },
  '/machine.MachineService/EtcdAlarmList': (call) =>
    reply(call, EtcdAlarmListResponse, {
      messages: [
        {
          memberAlarms:
            call.node === 'node01' ? [{ memberId: 1n, alarm: EtcdMemberAlarm_AlarmType.NOSPACE }] : [],
        },
      ],
    }),
  '/machine.MachineService/EtcdAlarmDisarm': (call) =>
    reply(call, EtcdAlarmDisarmResponse, { messages: [{ memberAlarms: [] }] }),
  '/machine.MachineService/EtcdDefragment': (call) => {
    asked.push(`defragment ${call.node}`);
    if (call.node === failingDefragment) call.fail(13, 'no disk');
    else reply(call, EtcdDefragmentResponse, { messages: [{}] });
  },
  '/machine.MachineService/EtcdForfeitLeadership': (call) =>
    reply(call, EtcdForfeitLeadershipResponse, { messages: [{ member: 'cp-2' }] }),
  '/machine.MachineService/EtcdLeaveCluster': (call) => {
    asked.push(`leave ${call.node}`);
    reply(call, EtcdLeaveClusterResponse, { messages: [{}] });
  },
  '/machine.MachineService/EtcdRemoveMemberByID': (call) => {
    asked.push(`remove ${EtcdRemoveMemberByIDRequest.decode(call.request).memberId}`);
    reply(call, EtcdRemoveMemberByIDResponse, { messages: [{}] });
  },
  '/machine.MachineService/EtcdDowngradeEnable': (call) => {
    asked.push(`downgrade to ${EtcdDowngradeEnableRequest.decode(call.request).version}`);
    // etcd answers with the version of the cluster, which a downgrade lowers later.
    reply(call, EtcdDowngradeEnableResponse, {
      messages: [{ clusterDowngrade: { clusterVersion: '3.7' } }],
    });
  },
  '/machine.MachineService/EtcdSnapshot': (call) => {
    for (let at = 0; at < snapshotBytes.length; at += 1000) {
      const bytes = snapshotBytes.subarray(at, at + 1000);
      call.send(Data.encode(Data.fromPartial({ bytes })).finish());
    }
    if (call.node === 'node02') call.fail(14, 'etcd went away');
    else if (call.node !== 'silent') call.end();
  },
  '/machine.MachineService/EtcdRecover': (call) => {
    asked.push(`recover, first ${Data.decode(call.request).bytes.length}`);
    reply(call, EtcdRecoverResponse, { messages: [{}] });
  },
  '/machine.MachineService/Bootstrap': (call) => {
    const { recoverEtcd, recoverSkipHashCheck } = BootstrapRequest.decode(call.request);
    asked.push(`bootstrap ${recoverEtcd} ${recoverSkipHashCheck}`);
    reply(call, BootstrapResponse, { messages: [{}] });
  },
};

const suite = openSuite(handlers);

/** Runs a command that must succeed; returns the requests to one node, and the output. */
async function onOne(...words: string[]) {
  asked.length = 0;
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', ...words);
  assert.deepEqual([exitCode, stderr], [0, ''], stderr);
  return { stdout, asked: [...asked] };
}

test('members and status are printed as tables, with ids in hex', async () => {
  const { stdout, asked: calls } = await onOne('etcd', 'members');
  assert.equal(
    stdout,
    `NODE     ID                 HOSTNAME   PEER URLS               CLIENT URLS             LEARNER
node01   0000000000000001   cp-1       https://10.5.0.2:2380   https://10.5.0.2:2379   false
node01   0000000000000002   cp-2       https://10.5.0.3:2380   https://10.5.0.3:2379   true
`,
  );
  assert.deepEqual(calls, ['local true']);
  const [, row = ''] = (await onOne('etcd', 'status')).stdout.split('\n');
  assert.deepEqual(row.split(/ {3,}/), [
    ...['node01', '0000000000000001', '2.4 MB', '606 kB (25.00%)', '0000000000000002', '9', '3', '8'],
    ...['false', '3.7.3', '3.7.0', 'one, two'],
  ]);
  const document = JSON.parse((await onOne('etcd', 'members', '-o', 'json')).stdout);
  assert.equal(document[0].members[1].id, '0000000000000002');
});

test('alarms are listed when there are some', async () => {
  const { stdout } = await suite.run('etcd', 'alarm', 'list');
  assert.equal(stdout, 'NODE     MEMBER             ALARM\nnode01   0000000000000001   NOSPACE\n');
  assert.equal((await onOne('etcd', 'alarm', 'disarm')).stdout, '');
});

test('commands that change something print nothing, or their result as a document', async () => {
  assert.equal((await onOne('etcd', 'defrag')).stdout, '');
  const { stdout } = await onOne('etcd', 'forfeit-leadership', '-o', 'json');
  assert.deepEqual(JSON.parse(stdout), [{ node: 'node01', done: true, leader: 'cp-2' }]);
  assert.equal(
    (await onOne('etcd', 'downgrade', 'enable', '3.6')).stdout,
    'NODE     MESSAGE\nnode01   downgrade enable success, cluster version 3.7\n',
  );
  assert.equal(asked.at(-1), 'downgrade to 3.6');
});

test('etcd defrag --one-at-a-time goes on when a member answers again, the leader last', async () => {
  leadingNode = 'node01';
  asked.length = 0;
  const { exitCode, stdout, stderr } = await suite.run('etcd', 'defrag', '--one-at-a-time');
  assert.deepEqual([exitCode, stdout, stderr], [0, '', '']);
  assert.deepEqual(asked.slice(0, 2).sort(), ['status node01', 'status node02']);
  assert.deepEqual(asked.slice(2), [
    ...['defragment node02', 'status node02', 'defragment node01', 'status node01'],
  ]);
  failingDefragment = 'node02';
  asked.length = 0;
  const failed = await suite.run('etcd', 'defrag', '--one-at-a-time');
  assert.equal(failed.exitCode, 1);
  assert.match(failed.stderr, /node02.*no disk/);
  assert.match(failed.stderr, /node01.*nothing was done, because the member of node02 before it has failed/);
  assert.deepEqual(asked.slice(2), ['defragment node02']);
  leadingNode = '';
  failingDefragment = '';
});

test('one node leaves at a time, and without a terminal removing a vote requires --yes', async () => {
  assert.deepEqual((await onOne('etcd', 'leave', '--yes')).asked, ['leave node01']);
  asked.length = 0;
  const refused = await suite.run('-n', 'node01', 'etcd', 'leave');
  assert.deepEqual([refused.exitCode, asked.filter((call) => call.startsWith('leave'))], [1, []]);
  assert.match(refused.stderr, /^error: etcd leave: .*the last etcd voter.*: add flag --yes/);
  for (const verb of ['leave', 'defrag']) {
    const { stderr, exitCode } = await suite.run('etcd', verb);
    assert.equal(exitCode, 1);
    assert.match(stderr, new RegExp(`^error: etcd ${verb} works on one node, and 2 are named`));
  }
});

test('a member is removed by its id in hex', async () => {
  // It is no member, so no vote is lost.
  const unknown = await onOne('etcd', 'remove-member', '00000000000000ff');
  assert.deepEqual(unknown.asked, ['local true', 'remove 255']);
  const voter = await suite.run('-n', 'node01', 'etcd', 'remove-member', '1');
  assert.match(
    voter.stderr,
    /^error: etcd remove-member: member 0000000000000001 \(cp-1\).*: add flag --yes/,
  );
  assert.deepEqual((await onOne('etcd', 'remove-member', '1', '-y')).asked, ['remove 1']);
  const { stderr, exitCode } = await suite.run('-n', 'node01', 'etcd', 'remove-member', 'cp-1');
  assert.equal(exitCode, 1);
  assert.match(stderr, /argument <member-id> must be a member id in hex/);
});

/** A snapshot as the API sends it. */
const withChecksum = (bytes: Buffer) => Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);

/** Takes a snapshot of a node over a good backup; returns the result, and what the folder holds then. */
async function replaceBackup(node: string, bytes: Buffer) {
  const own = mkdtempSync(join(folder, 'backup-'));
  const path = join(own, 'db');
  writeFileSync(path, 'good');
  snapshotBytes = bytes;
  const result = await suite.run('-n', node, 'etcd', 'snapshot', path);
  snapshotBytes = snapshot;
  return { ...result, left: readdirSync(own), isKept: readFileSync(path, 'utf8') === 'good' };
}

test('a snapshot that was checked replaces a file', async () => {
  const path = join(folder, 'taken');
  const { stdout } = await onOne('etcd', 'snapshot', path);
  assert.match(
    stdout,
    new RegExp(
      `^etcd snapshot saved to "${path}" \\(${snapshot.length} bytes\\)\nsnapshot info: hash [\\da-f]{8}, revision 7, total keys 1, total size ${database.length}\n$`,
    ),
  );
  assert.ok(readFileSync(path).equals(snapshot));
  const { exitCode, left, isKept } = await replaceBackup('node01', snapshot);
  assert.deepEqual({ exitCode, left, isKept }, { exitCode: 0, left: ['db'], isKept: false });
});

test('a snapshot that is incomplete, damaged or no database leaves the last backup as it was', async () => {
  const damaged = Buffer.from(snapshot);
  // Behind the only key: the pages can be read as before.
  damaged[database.length - 1] = 1;
  const rows: [node: string, bytes: Buffer, message: RegExp][] = [
    ['node02', snapshot, /^error from node node02: .*etcd went away/],
    ['node01', database, /do not end in a checksum: the snapshot is incomplete/],
    ['node01', damaged, /^error: node01 sent a snapshot that does not match its SHA-256/],
    ['node01', withChecksum(Buffer.alloc(1024)), /cannot be read: it is not a valid etcd database/],
  ];
  for (const [node, bytes, message] of rows) {
    const { stderr, exitCode, left, isKept } = await replaceBackup(node, bytes);
    assert.match(stderr, message);
    assert.deepEqual({ exitCode, left, isKept }, { exitCode: 1, left: ['db'], isKept: true }, stderr);
  }
});

test('a snapshot that is interrupted leaves the last backup, and no draft, after one signal or two', async () => {
  const own = mkdtempSync(join(folder, 'interrupted-'));
  const path = join(own, 'db');
  writeFileSync(path, 'good');
  for (const signals of [['SIGTERM'], ['SIGHUP'], ['SIGINT', 'SIGINT']] as const) {
    const child = suite.talosctl.start(['-n', 'silent', 'etcd', 'snapshot', path], {
      environment: { TALOSCONFIG: suite.talosconfig },
    });
    const ended = finished(child);
    await eventually(() => readdirSync(own).length === 2, { what: 'a draft' });
    for (const signal of signals) child.kill(signal);
    const { exitCode } = await ended;
    assert.notEqual(exitCode, 0);
    assert.deepEqual([readdirSync(own), readFileSync(path, 'utf8')], [['db'], 'good']);
  }
});

test('snapshots to one path at the same time do not disturb each other, and a link to it stays', async () => {
  const own = mkdtempSync(join(folder, 'twice-'));
  const path = join(own, 'link');
  symlinkSync('db', path);
  const first = suite.talosctl.start(['-n', 'silent', 'etcd', 'snapshot', path], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const ended = finished(first);
  await eventually(() => readdirSync(own).length === 2, { what: 'a draft' });
  await onOne('etcd', 'snapshot', path);
  first.kill('SIGTERM');
  await ended;
  assert.deepEqual(readdirSync(own).sort(), ['db', 'link']);
  assert.ok(lstatSync(path).isSymbolicLink());
  assert.ok(readFileSync(path).equals(snapshot));
});

test('bootstrap prints nothing, and uses a snapshot when given one', async () => {
  assert.deepEqual(await onOne('bootstrap'), { stdout: '', asked: ['bootstrap false false'] });
  const path = join(folder, 'snapshot');
  writeFileSync(path, snapshot);
  const recovery = await onOne('bootstrap', '--recover-from', path);
  assert.match(recovery.stdout, /^recovering from ".*": snapshot info: hash/);
  assert.deepEqual(recovery.asked, ['recover, first 4096', 'bootstrap true false']);
});

test('a snapshot that the node would refuse is not sent', async () => {
  const path = join(folder, 'copied');
  writeFileSync(path, database);
  const refused = await suite.run('-n', 'node01', 'bootstrap', '--recover-from', path);
  assert.match(refused.stderr, /has no checksum.*--recover-skip-hash-check/);
  const taken = await onOne('bootstrap', '--recover-from', path, '--recover-skip-hash-check');
  assert.deepEqual(taken.asked, ['recover, first 4096', 'bootstrap true true']);
  writeFileSync(path, 'no database');
  const other = await suite.run('-n', 'node01', 'bootstrap', '--recover-from', path);
  assert.match(other.stderr, /^error: cannot read snapshot ".*copied": it is not a valid etcd database/);
  const missing = await suite.run('-n', 'node01', 'bootstrap', '--recover-from', join(folder, 'none'));
  assert.match(missing.stderr, /^error: cannot read snapshot ".*none": /);
});
