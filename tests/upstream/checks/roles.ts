// The roles: a reader reads, an operator operates, and a certificate without a role may do nothing.
import { type Check, prints } from '../check.ts';
import type { Role } from '../subject.ts';

const refused = { exitCode: 1, stderr: [/PermissionDenied|not authorized/] };
const allowed = {};

const rows: readonly (readonly [command: string, words: string, Readonly<Partial<Record<Role, object>>>])[] =
  [
    ['version', '-n {node} version', { none: refused, reader: allowed, operator: allowed }],
    ['memory', '-n {worker} memory', { none: refused, reader: allowed, operator: allowed }],
    ['get', '-n {node} get members', { none: refused, reader: allowed, operator: allowed }],
    ['get', '-n {node} get machineconfig', { none: refused, reader: refused, operator: refused }],
    ['get', '-n {node} get osrootsecret', { none: refused, reader: refused, operator: refused }],
    ['read', '-n {node} read /proc/meminfo', { none: refused, reader: refused, operator: refused }],
    ['copy', '-n {node} copy /system/state -', { none: refused, reader: refused, operator: refused }],
    ['logs', '-n {node} logs machined --tail 1', { none: refused, reader: allowed, operator: allowed }],
    ['etcd members', '-n {node} etcd members', { none: refused, reader: allowed, operator: allowed }],
    [
      'etcd snapshot',
      '-n {node} etcd snapshot {folder}/roles.db',
      { none: refused, reader: refused, operator: allowed },
    ],
    ['etcd defrag', '-n {node} etcd defrag', { none: refused, reader: refused, operator: allowed }],
    ['etcd leave', '-n {second} etcd leave', { none: refused, reader: refused, operator: refused }],
    ['meta write', '-n {worker} meta write 0x0c x', { none: refused, reader: refused, operator: refused }],
    ['reboot', '-n {worker} reboot --wait=false', { none: refused, reader: refused }],
    ['shutdown', '-n {worker} shutdown --wait=false', { none: refused, reader: refused }],
    ['reset', '-n {worker} reset --wait=false', { none: refused, reader: refused, operator: refused }],
  ];

const verb = (expected: object, role: Role) =>
  `${expected === allowed ? 'is allowed for' : 'is refused to'} ${role === 'none' ? 'a certificate without a role' : `an ${role}`.replace('an r', 'a r')}`;

export const roleChecks: readonly Check[] = rows.flatMap(([command, words, byRole]) =>
  (Object.entries(byRole) as [Role, object][]).map(([role, expected]) =>
    prints(command, `${verb(expected, role)}: ${words.replace(/^-n \S+ /, '')}`, words, {
      ...expected,
      as: role,
    }),
  ),
);
