import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { noOwnNamespace } from '../../../packages/linux/src/netlink/own-namespace.ts';

const folder = mkdtempSync(join(tmpdir(), 'follow-node-'));
after(() => rmSync(folder, { recursive: true }));

/** Docker doubles its delay before the next start of a container that ran for less time than this. */
const engineTakesForWorkingSeconds = 10;

test('a daemon whose network was replaced exits, but only after its engine counts its start as successful', {
  skip: noOwnNamespace,
}, () => {
  const startedFile = join(folder, 'machined-started');
  const [report, started] = [join(folder, 'report'), join(folder, 'started')] as const;
  writeFileSync(startedFile, '');
  const program = `
    process.on('exit', (code) => fs.writeFileSync(${JSON.stringify(report)}, code + ' ' + process.uptime()));
    fs.writeFileSync(${JSON.stringify(started)}, '');
    setTimeout(() => process.exit(1), 60_000);`;
  // Remove the address after the program has seen it, and renew the file, as machined does when it
  // restarts.
  const script = `
    ip link add test0 type veth peer name test1 && ip address add 10.9.8.7/32 dev test0 && ip link set test0 up && ip link set test1 up
    "$@" &
    until [ -e ${started} ]; do sleep 0.1; done
    sleep 2; ip link delete test0; sleep 1; touch -d '1 minute' "$0"
    wait $!`;
  const command = [process.execPath, '--import', join(import.meta.dirname, 'follow-node.ts'), '-e', program];
  assert.throws(
    () =>
      execFileSync('unshare', ['--net', 'sh', '-c', script, startedFile, ...command], {
        env: { ...process.env, NODE_STARTED_FILE: startedFile },
        stdio: ['ignore', 'ignore', 'pipe'],
        encoding: 'utf8',
      }),
    ({ status, stderr }) => {
      assert.deepEqual([status, JSON.parse(stderr).msg], [143, 'the network of the node was replaced']);
      return true;
    },
  );
  const [code, seconds] = readFileSync(report, 'utf8').split(' ').map(Number);
  assert.equal(code, 143);
  assert.ok(Number(seconds) >= engineTakesForWorkingSeconds, `it ran for ${seconds} s`);
});
