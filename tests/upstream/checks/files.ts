// Files and logs of a node.
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { prints } from '../check.ts';

export const fileChecks = [
  prints('list', 'lists a folder', '-n {node} list /', { stdout: [/^NODE +NAME/, /^node01 +system$/m] }),
  prints('list', 'lists files with modes, owners and sizes', '-n {node} list -l /system', {
    stdout: [/MODE +UID +GID +SIZE\(B\) +LASTMOD/, /^node01 +d[rwx-]{9} +\d+ +\d+ +\d+ /m],
  }),
  prints('list', 'lists folders down to a depth', '-n {node} list -d 3 -t f /system', {
    stdout: [/state\/config\.yaml/],
  }),
  prints('list', 'reports a folder that does not exist', '-n {node} list /nosuch', {
    stderr: [/nosuch: no such file or directory/],
    exitCode: 1,
  }),
  prints('usage', 'prints the total size of a folder', '-n {node} usage /system', {
    stdout: [/^NODE +SIZE +NAME/, /^node01 +\d+ +\.$/m],
  }),
  prints('usage', 'prints human-readable sizes', '-n {node} usage -H -d 2 /system', {
    stdout: [/ [kMG]?B +/],
  }),
  prints('read', 'prints a file', '-n {worker} read /system/state/config.yaml', {
    stdout: [/^version: v1alpha1/],
  }),
  prints('read', 'prints a file of the kernel that reports no size', '-n {node} read /proc/meminfo', {
    stdout: [/^MemTotal: +\d+ kB/],
  }),
  prints('read', 'reports a file that does not exist', '-n {node} read /nosuch', {
    exitCode: 1,
    stderr: [/NotFound.*nosuch/],
  }),
  ...['hosts', 'resolv.conf', 'hostname', 'machine-id', 'os-release'].map((name) =>
    prints('read', `prints /etc/${name} of the node`, `-n {worker} read /etc/${name}`, {
      stdout: [name === 'hosts' || name === 'hostname' ? '\\b{worker}\\b' : /\S/],
    }),
  ),
  prints('copy', 'unpacks a folder', '-n {worker} copy /system/state {folder}/copied', {
    after: async ({ folder }) =>
      assert.match(await readFile(join(folder, 'copied', 'config.yaml'), 'utf8'), /^version: v1alpha1/),
  }),
  prints('copy', 'leaves sockets out of a folder', '-n {worker} copy /system {folder}/system', {
    after: async ({ folder }) =>
      assert.match(
        await readFile(join(folder, 'system', 'state', 'config.yaml'), 'utf8'),
        /^version: v1alpha1/,
      ),
  }),
  prints('copy', 'prints an archive', '-n {worker} copy /system/state -', { stdout: [/./] }),
  prints('logs', 'prints the log of the controllers', '-n {node} logs controller-runtime', {
    stdout: [/controllers started/],
  }),
  prints('logs', 'prints why there is no log of host DNS', '-n {node} logs dns-resolve-cache', {
    stdout: [/host DNS is not implemented/],
  }),
  prints('logs', 'prints the last lines of a service', '-n {node} logs machined --tail 3', {
    stdout: [/^node01: \{"level":/],
    after: (_, { stdout }) => assert.equal(stdout.trimEnd().split('\n').length, 3),
  }),
  prints('logs', 'follows a service until it is interrupted', '-n {worker} logs -f apid --tail 1', {
    until: '^{worker}: ',
  }),
  prints('logs', 'reports a service without a log', '-n {node} logs nosuch', {
    exitCode: 1,
    stderr: [/log "nosuch" was not registered/],
  }),
  prints('meta write', 'writes a key', '-n {worker} meta write 0x0c hello'),
  prints('get', 'reads the key that was written', '-n {worker} get metakeys 0x0c -o jsonpath={.spec.value}', {
    stdout: [/^hello/],
  }),
  prints('meta delete', 'removes a key', '-n {worker} meta delete 0x0c', {
    after: async ({ client }) =>
      assert.notEqual((await client(['-n', '{worker}', 'get', 'metakeys', '0x0c'])).exitCode, 0),
  }),
  prints('etcd snapshot', 'saves a snapshot', '-n {node} etcd snapshot {folder}/etcd.db', {
    stdout: [/snapshot info: hash [0-9a-f]{8}, revision \d+/],
    after: async ({ folder }) => assert.ok((await stat(join(folder, 'etcd.db'))).size > 10_000),
  }),
];
