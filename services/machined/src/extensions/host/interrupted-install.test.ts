// A machined that is killed while it installs a set, and file systems that are full, as real processes.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { createSetSigner, signedSet } from '@nodewright/extensions/testing';
import type { InstalledLine } from '../testing/install-sets.ts';

const work = mkdtempSync(join(tmpdir(), 'interrupted-install-'));
after(() => rmSync(work, { recursive: true, force: true }));

const program = join(import.meta.dirname, '..', 'testing', 'install-sets.ts');
const signer = createSetSigner();
const setOf = (name: string, bytes: number) => {
  const set = { squashfs: randomBytes(bytes), imageRootHash: 'a'.repeat(64) };
  const { bytes: archive, rootHash } = signedSet({ signer, ...set });
  const path = join(work, `${name}.set`);
  writeFileSync(path, archive);
  return { path, rootHash, ...set };
};

function openMachine() {
  const slot = mkdtempSync(join(work, 'slot-'));
  const memory = mkdtempSync(join(work, 'memory-'));
  writeFileSync(join(slot, 'certificate.pem'), signer.certificate.toString());
  return { slot, memory, sets: join(slot, 'sets') };
}

/** Whatever has the name of a set is whole, and what the file `next` names is there. */
function assertWhole(folder: string, known: readonly ReturnType<typeof setOf>[]): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const { rootHash, squashfs } of known) {
    if (!names.includes(rootHash)) continue;
    const files = readdirSync(join(folder, rootHash)).sort();
    assert.deepEqual(files, ['description.json', 'roothash.p7s', 'set.squashfs', 'set.verity']);
    assert.ok(readFileSync(join(folder, rootHash, 'set.squashfs')).equals(squashfs), rootHash);
  }
  if (names.includes('next')) assert.ok(names.includes(readFileSync(join(folder, 'next'), 'utf8').trim()));
}

/** Ends the process by SIGKILL after its first installation, some steps of the event loop later. */
async function killInstalling(child: ChildProcess, steps: number): Promise<void> {
  const ended = once(child, 'exit');
  assert.ok(child.stdout);
  await once(createInterface(child.stdout), 'line');
  for (let step = 0; step < steps; step += 1) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
}

test('a machined that is killed while it installs leaves whole sets, and the next one installs again', async () => {
  const known = [setOf('first', 2_000_000), setOf('second', 2_000_000)];
  const machine = openMachine();
  const paths = Array.from({ length: 200 }, (_, index) => known[index % 2]?.path ?? '');
  const words = [program, machine.slot, machine.memory];
  const kills = Array.from({ length: 3 }, () => randomInt(3000));
  for (const steps of kills) {
    await killInstalling(
      spawn(process.execPath, [...words, ...paths], { stdio: ['ignore', 'pipe', 'inherit'] }),
      steps,
    );
    assertWhole(machine.sets, known);
  }
  const { status, stdout } = spawnSync(process.execPath, [...words, known[1]?.path ?? ''], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `kills after ${kills}`);
  assert.deepEqual(JSON.parse(stdout), { installed: known[1]?.rootHash });
  assertWhole(machine.sets, known);
  assert.deepEqual(readdirSync(machine.sets).sort(), [known[1]?.rootHash, 'next'].sort());
  assert.deepEqual(readdirSync(machine.memory), []);
});

test('a full partition or memory is told, changes nothing, and freed space is enough', {
  skip: process.getuid?.() === 0 ? false : 'a mount namespace needs root',
}, () => {
  const [small, large] = [setOf('small', 300_000), setOf('large', 4_000_000)];
  const { slot, memory } = openMachine();
  const pem = join(work, 'certificate.pem');
  writeFileSync(pem, signer.certificate.toString());
  /** BOOT and the memory as file systems of these sizes; `script` installs by `install <file>`. */
  const run = (boot: string, received: string, script: string) => {
    const text = `set -e
      mount -t tmpfs -o size=${boot} tmpfs '${slot}'; mount -t tmpfs -o size=${received} tmpfs '${memory}'
      cp '${pem}' '${slot}/certificate.pem'
      install() { '${process.execPath}' '${program}' '${slot}' '${memory}' "$@"; }
      ${script}
      ls '${slot}/sets' '${memory}' >&2`;
    const words = ['--mount', '--propagation', 'private', 'sh', '-c', text];
    const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line): InstalledLine => JSON.parse(line));
    return { lines, left: stderr };
  };
  const full = run(
    '4m',
    '16m',
    [
      `head -c 3000000 /dev/zero > '${slot}/other'`,
      `install '${small.path}' '${large.path}'`,
      `rm '${slot}/other'; install '${small.path}'`,
    ].join('\n'),
  );
  assert.deepEqual(
    full.lines.map(({ installed, kind }) => installed ?? kind),
    ['resource-exhausted', 'resource-exhausted', small.rootHash],
  );
  assert.match(full.lines[0]?.message ?? '', /the partition BOOT has \d+ bytes left, and the set needs \d+/);
  assert.match(full.left, new RegExp(`${small.rootHash}\\nnext\\n`));
  const noMemory = run('16m', '2m', `install '${large.path}' '${small.path}'`);
  assert.deepEqual(
    noMemory.lines.map(({ installed, kind }) => installed ?? kind),
    ['resource-exhausted', small.rootHash],
  );
  assert.doesNotMatch(noMemory.left, /received/);
});
