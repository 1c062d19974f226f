// Tests of the judging code: it must find mistakes and report them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { type Check, Skip } from './check.ts';
import { expectFailure } from './checks/expect.ts';
import { readTar } from './checks/read-tar.ts';
import { harmlessMethods } from './facts/harmless-methods.ts';
import { readMethodFacts } from './facts/method-facts.ts';
import { parseConformanceOptions } from './options.ts';
import { reportText } from './report/print-report.ts';
import { runChecks, type Verdict } from './run-checks.ts';
import type { Subject } from './subject/subject.ts';
import { CallFailure, codes } from './wire/call-failure.ts';
import { FrameReader, frameMessage } from './wire/message-frames.ts';

const unimplemented = new CallFailure({ code: codes.unimplemented, message: 'unknown method' });

async function verdictsOf(...bodies: [string, Check['run'], number?][]): Promise<Verdict[]> {
  const checks = bodies.map(([id, run, timeoutMs]) => ({
    id,
    method: `/a.B/${id}`,
    says: `${id} holds`,
    run,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }));
  const verdicts: Verdict[] = [];
  for await (const verdict of runChecks(checks, {} as Subject)) verdicts.push({ ...verdict, ms: 0 });
  return verdicts;
}

test('runChecks() continues after a failure and reports each kind of result', async () => {
  const verdicts = await verdictsOf(
    ['Fails', async () => assert.equal(1, 2, 'one is not two')],
    ['Holds', async () => {}],
    ['Lacks', () => Promise.reject(unimplemented)],
    ['Skips', () => Promise.reject(new Skip('no device'))],
    ['Hangs', () => new Promise(() => {}), 20],
  );
  assert.deepEqual(
    verdicts.map(({ outcome, why }) => [outcome, why]),
    [
      ['failed', 'one is not two 1 !== 2'],
      ['passed', undefined],
      ['not implemented', 'Unimplemented "unknown method"'],
      ['skipped', 'no device'],
      ['failed', 'not done after 0.02 s'],
    ],
  );
});

test('reportText() prints one line per method, why checks failed, and the counts last', async () => {
  const verdicts = await verdictsOf(
    ['Fails', async () => assert.fail('too slow')],
    ['Holds', async () => {}],
    ['Lacks', () => Promise.reject(unimplemented)],
  );
  const table = (isExcused: boolean) => reportText(verdicts, () => isExcused);
  assert.equal(
    table(true),
    `METHOD       VERDICT
/a.B/Fails   FAILED
  failed: Fails: Fails holds
    too slow
/a.B/Holds   passed (1 checks)
/a.B/Lacks   not implemented

1 checks of methods that are not implemented
1 passed, 1 failed
`,
  );
  assert.match(table(false), /^\/a\.B\/Lacks {3}NOT IMPLEMENTED/m);
  assert.match(table(false), /\n1 passed, 2 failed\n$/);
});

test('expectFailure() reports a wrong code, a wrong text, and a call that succeeded', async () => {
  const notFound = () => Promise.reject(new CallFailure({ code: codes.notFound, message: 'nothing there' }));
  await expectFailure(notFound(), codes.notFound, /^nothing there$/);
  await assert.rejects(
    expectFailure(notFound(), codes.unknown),
    /ended with NotFound "nothing there", Unknown was expected/,
  );
  await assert.rejects(
    expectFailure(notFound(), codes.notFound, /^something$/),
    /has the text "nothing there"/,
  );
  await assert.rejects(
    expectFailure(Promise.resolve(), codes.notFound),
    /ended with OK, NotFound was expected/,
  );
  await assert.rejects(
    expectFailure(Promise.reject(unimplemented), codes.notFound),
    (error) => error === unimplemented,
  );
});

test('FrameReader finds the messages however the bytes are split', () => {
  const messages = ['', 'a', 'b'.repeat(3000), ''].map((text) => Buffer.from(text));
  const bytes = Buffer.concat(messages.map(frameMessage));
  for (const size of [1, 2, 5, 7, 1000, bytes.length]) {
    const reader = new FrameReader();
    const found: Buffer[] = [];
    for (let offset = 0; offset < bytes.length; offset += size) {
      found.push(
        ...[...reader.add(bytes.subarray(offset, offset + size))].map((message) => Buffer.from(message)),
      );
    }
    assert.deepEqual([found, reader.remainder], [messages, 0], `${size} bytes at a time`);
  }
});

test("readTar() reads what the machine's own tar writes, long names and links too", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tar-'));
  try {
    const long = join('d'.repeat(120), 'e'.repeat(120));
    await mkdir(join(folder, 'd'.repeat(120)));
    await writeFile(join(folder, long), 'deep');
    await writeFile(join(folder, 'größe'), 'x'.repeat(1000));
    await symlink('größe', join(folder, 'link'));
    for (const format of ['ustar', 'gnu', 'posix']) {
      const { status, stdout } = spawnSync('tar', ['-C', folder, '-cf', '-', `--format=${format}`, '.']);
      if (format !== 'ustar') assert.equal(status, 0);
      else if (status !== 0) continue;
      const entries = readTar(stdout).map(({ name, type, link, content }) => [
        name,
        type,
        link,
        content.toString(),
      ]);
      assert.deepEqual(
        entries.filter(([, type]) => type !== 'directory').sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
        [
          [`./${long}`, 'file', '', 'deep'],
          ['./größe', 'file', '', 'x'.repeat(1000)],
          ['./link', 'symlink', 'größe', ''],
        ],
        format,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('readTar() rejects an archive that is truncated or damaged', () => {
  const { stdout } = spawnSync('tar', ['-C', import.meta.dirname, '-cf', '-', 'check.ts', 'suite.ts']);
  assert.throws(() => readTar(stdout.subarray(0, 600)), /the archive ends in the middle of "check\.ts"/);
  const damaged = Buffer.from(stdout);
  damaged[3] = 0x21;
  assert.throws(() => readTar(damaged), /has the checksum/);
});

test('the suite calls only existing methods that change nothing with an allowed role', () => {
  const known = new Set(readMethodFacts().map(({ path }) => path));
  // The suite's own services are no part of the API of Talos.
  const ofTalos = Object.keys(methodTable).filter((path) => !path.startsWith('/suite.'));
  assert.deepEqual([...known].sort(), ofTalos.sort());
  assert.deepEqual(
    [...harmlessMethods].filter((path) => !known.has(path)),
    [],
  );
  const dangerous =
    /(Reboot|Shutdown|Reset|Rollback|Upgrade|Install|Restart|Start|Stop|Write|Delete|Wipe|Remove|Destroy|Apply|Bootstrap|Recover|Leave|Forfeit|Downgrade|Defragment|Disarm|Pull|Import|Create|Update|Teardown|ContainerRun|Kubeconfig)/;
  assert.deepEqual(
    [...harmlessMethods].filter((path) => dangerous.test(path.slice(path.lastIndexOf('/')))),
    [],
  );
});

test('parseConformanceOptions() prefers flags to the environment, and rejects an unknown kind of cluster', () => {
  const environment = { CLUSTER: 'docker', ENDPOINT: '10.5.0.2', NODE: '/usr/bin/node' };
  const { cluster, endpoint, node } = parseConformanceOptions(['--endpoint', '10.5.0.3'], environment);
  assert.deepEqual([cluster, endpoint, node], ['docker', '10.5.0.3', undefined]);
  assert.throws(() => parseConformanceOptions([], { CLUSTER: 'moon' }), /no cluster of kind "moon"/);
});
