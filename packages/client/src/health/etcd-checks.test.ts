import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EtcdMemberAlarm_AlarmType as AlarmType } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import { noAlarms } from './etcd-checks.ts';
import type { CheckedCluster } from './health-check.ts';

/** What the check of alarms says, when the first control plane answers so. */
async function said(etcdAlarmList: () => Promise<object>): Promise<string> {
  const cluster: CheckedCluster = {
    nodes: { controlPlanes: ['10.0.0.1', '10.0.0.2'], workers: [] },
    node: (address) => {
      assert.equal(address, '10.0.0.1');
      return { machine: { etcdAlarmList } } as unknown as NodeClient;
    },
    kubernetes: () => assert.fail('not called'),
  };
  try {
    const outcome = await noAlarms.run(cluster, new AbortController().signal);
    return outcome.kind === 'ok' ? 'ok' : `skip: ${outcome.because}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const alarms =
  (...memberAlarms: { memberId: bigint; alarm: AlarmType }[]) =>
  async () => ({ messages: [{ memberAlarms }] });

test('the check of etcd alarms fails for any alarm, and says how to clear that of a full database', async () => {
  const memberId = 0x8e9e05c52164694dn;
  assert.deepEqual(
    [
      await said(alarms()),
      await said(alarms({ memberId, alarm: AlarmType.NONE })),
      await said(alarms({ memberId, alarm: AlarmType.CORRUPT })),
      await said(
        alarms({ memberId, alarm: AlarmType.NOSPACE }, { memberId: 0xabn, alarm: AlarmType.CORRUPT }),
      ),
    ],
    [
      'ok',
      'ok',
      'etcd has an alarm: CORRUPT of member 8e9e05c52164694d',
      'etcd has an alarm: NOSPACE of member 8e9e05c52164694d, CORRUPT of member ab (free space with "talosctl etcd defrag", then run "talosctl etcd alarm disarm")',
    ],
  );
});

test('the check of etcd alarms is skipped on nodes without etcd, and fails with other errors', async () => {
  const failing = (kind: 'unimplemented' | 'deadline-exceeded') => async () => {
    throw new Fault(kind, kind);
  };
  assert.deepEqual(
    [await said(failing('unimplemented')), await said(failing('deadline-exceeded'))],
    ['skip: no control plane has the service etcd', 'deadline-exceeded'],
  );
});
