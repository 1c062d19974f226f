// A node in a container with everything that it may get, and a disk within reach, changes nothing outside of it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeTable, partitionTypes, sectorBytes } from '@nodewright/disk';
import { runDocker } from '@nodewright/provision/engine';
import { eventually, hostState } from '@nodewright/testkit';
import { reasonToSkip } from './reason-to-skip.ts';
import { startWholeNode } from './whole-node.ts';

const reason = await reasonToSkip();
const skip = reason !== false ? reason : process.getuid?.() === 0 ? false : 'loop devices need root';

const diskBytes = 64 << 20;
const sectors = diskBytes / sectorBytes;
const labels = ['META', 'STATE', 'EPHEMERAL'];

/** A disk with the partitions that a machine would use, each with the mark of a file system. */
async function makeDisk(path: string): Promise<void> {
  const size = 32_768;
  const partitions = labels.map((label, index) => ({
    ...{ number: index + 1, type: partitionTypes.linux, label },
    guid: `00000000-0000-4000-8000-00000000000${index + 1}`,
    first: 2048 + index * size,
    last: 2048 + (index + 1) * size - 1,
  }));
  const { head, tail } = encodeTable({ guid: '00000000-0000-4000-8000-000000000000', partitions }, sectors);
  writeFileSync(path, '');
  truncateSync(path, diskBytes);
  await using file = await open(path, 'r+');
  await file.write(head, 0, head.length, 0);
  await file.write(tail, 0, tail.length, diskBytes - tail.length);
  for (const { first, label } of partitions)
    await file.write(Buffer.from(`XFSB of ${label}`), 0, undefined, first * sectorBytes);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

const losetup = (...words: string[]) => execFileSync('losetup', words, { encoding: 'utf8' }).trim();

test('boot, wipe and reset of a node that reaches a disk labelled STATE change neither the disk nor the host', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'host-safety-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const disk = join(folder, 'disk.raw');
  await makeDisk(disk);
  const device = losetup('--find', '--partscan', '--show', disk);
  t.after(() => losetup('--detach', device));
  const digest = await digestOf(disk);
  const before = hostState();
  const clock = () => Date.now() - performance.now();
  const clockBefore = clock();

  {
    // The engine lets the container open the disk for writing: only the node itself keeps its hands off.
    await using node = await startWholeNode({ isConfigured: true, flags: ['--device', device] });
    await node.runs('apid', 'cri', 'machined', 'trustd', 'udevd-bridge');
    const name = device.slice('/dev/'.length);
    const script = `fs.closeSync(fs.openSync('${device}', 'r+'))`;
    await runDocker(['exec', node.container, '/usr/bin/node', '-e', `const fs = require('fs'); ${script}`]);

    const refused = async (words: string[], why: RegExp) => {
      const { exitCode, stderr } = await node.talosctl(...words);
      assert.notEqual(exitCode, 0, words.join(' '));
      assert.match(stderr, why);
    };
    await refused(['wipe', 'disk', name], /owns no disks/);
    await refused(['wipe', 'disk', name, '--method', 'ZEROES', '--drop-partition'], /owns no disks/);
    const reset = ['reset', '--yes', '--graceful=false', '--wait=false'];
    await refused([...reset, '--user-disks-to-wipe', device], /container|disk/);
    await refused([...reset, '--wipe-mode', 'user-disks', '--user-disks-to-wipe', device], /container|disk/);
    assert.deepEqual(hostState(), before);

    const done = await node.talosctl(...reset, '--reboot', '--wipe-mode', 'all');
    assert.equal(done.exitCode, 0, done.stderr);
    const restarts = async () =>
      Number(await runDocker(['container', 'inspect', '--format', '{{.RestartCount}}', node.container]));
    await eventually(async () => (await restarts()) === 1, { what: 'the restart', timeoutMs: 180_000 });
    await node.runs('apid', 'cri', 'machined');
  }
  execFileSync('sync');
  assert.equal(await digestOf(disk), digest);
  assert.deepEqual(hostState(), before);
  assert.ok(Math.abs(clock() - clockBefore) < 2000, `the clock was moved by ${clock() - clockBefore} ms`);
});
