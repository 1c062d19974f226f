// etcd. The last of these checks remove members from it, so they run in this order.
import { prints } from '../check.ts';

/** Clusters with a second control plane and a worker. */
const several = { only: ['process', 'docker'] } as const;
const machine = { only: ['qemu'] } as const;

export const etcdChecks = [
  prints('etcd members', 'lists the members', '-n {node} etcd members', {
    stdout: [/HOSTNAME +PEER URLS/, / node01 +https:\/\/\S+:2380 +https:\/\/\S+:2379 +false/, ' {second} '],
  }),
  prints('etcd status', 'prints a row per member', '-n {node},{second} etcd status', {
    stdout: [/MEMBER +DB SIZE/, /^node01 +[0-9a-f]{16} +\d+ [kM]B/m, '^{second} '],
  }),
  prints('etcd status', 'is refused by a worker, which has no etcd', '-n {worker} etcd status', {
    ...several,
    exitCode: 1,
    stderr: ['{worker}: .*code = Unimplemented'],
  }),
  prints('etcd alarm list', 'prints nothing when there is no alarm', '-n {node} etcd alarm list'),
  prints('etcd alarm disarm', 'succeeds when there is no alarm', '-n {node} etcd alarm disarm'),
  prints('etcd defrag', 'defragments the database', '-n {node} etcd defrag'),
  prints(
    'etcd downgrade validate',
    'rejects a version that is too old',
    '-n {node} etcd downgrade validate 3.4',
    {
      exitCode: 1,
      stderr: [/InvalidArgument/],
    },
  ),
  prints(
    'etcd downgrade enable',
    'rejects a version that is too old',
    '-n {node} etcd downgrade enable 3.4',
    {
      exitCode: 1,
      stderr: [/InvalidArgument/],
    },
  ),
  prints(
    'etcd downgrade cancel',
    'succeeds when no downgrade is in progress',
    '-n {node} etcd downgrade cancel',
    { stdout: [/downgrade cancel success, cluster version 3\.\d+/] },
  ),
  prints('bootstrap', 'is refused when etcd already has data', '-n {node} bootstrap', {
    exitCode: 1,
    stderr: [/AlreadyExists/],
  }),
  prints(
    'etcd forfeit-leadership',
    'moves the leadership to another member',
    '-n {node},{second} etcd forfeit-leadership',
    several,
  ),
  prints(
    'etcd forfeit-leadership',
    'reports that there is no other member',
    '-n {node} etcd forfeit-leadership',
    { ...machine, exitCode: 1, stderr: [/this is the only member/] },
  ),
  prints('etcd leave', 'is refused to the last member', '-n {node} etcd leave', {
    ...machine,
    exitCode: 1,
    stderr: [/would leave no voter/],
  }),
  prints(
    'etcd remove-member',
    'reports a member that does not exist',
    '-n {node} etcd remove-member deadbeef',
    {
      exitCode: 1,
      stderr: [/NotFound.*deadbeef/],
    },
  ),
  prints('etcd leave', 'removes the node from etcd', '-n {second} etcd leave', {
    ...several,
    after: async ({ client }) => {
      const { stdout } = await client(['-n', '{node}', 'etcd', 'members']);
      if (/node02/.test(stdout)) throw new Error(`node02 is still a member:\n${stdout}`);
    },
  }),
];
