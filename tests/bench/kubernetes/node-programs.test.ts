import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSteps, parseTop, programOf, sizeMb, sumByProgram } from './node-programs.ts';

test('programOf() names daemons by their script, and others by their file', () => {
  const cases = {
    '/usr/bin/node --max-semi-space-size=2 /usr/lib/nodewright/machined/machined.cjs --root /': 'machined',
    '/usr/local/bin/kubelet --config=/etc/kubernetes/kubelet.yaml': 'kubelet',
    '/usr/bin/containerd-shim-runc-v2 -namespace system -id etcd': 'containerd-shim-runc-v2',
    '/pause': 'pause',
  };
  for (const [command, program] of Object.entries(cases)) assert.equal(programOf(command), program);
});

test('parseTop() reads the lines of docker top, and sumByProgram() adds what one program has several times', () => {
  const processes = parseTop(
    'PID                 COMMAND\n12                  /pause\n 345   /opt/bin/flanneld --x\n',
  );
  assert.deepEqual(processes, [
    { pid: 12, command: '/pause' },
    { pid: 345, command: '/opt/bin/flanneld --x' },
  ]);
  const sums = sumByProgram([
    { command: '/pause', megabytes: 1 },
    { command: '/opt/bin/flanneld --x', megabytes: 30 },
    { command: '/pause', megabytes: 2 },
  ]);
  assert.deepEqual(
    [...sums],
    [
      ['flanneld', 30],
      ['pause', 3],
    ],
  );
});

test('sizeMb() reads sizes of Docker, and refuses other texts', () => {
  assert.deepEqual(['0B', '3.5kB', '580.4MB', '1.2GB'].map(sizeMb), [0, 0.0035, 580.4, 1200]);
  assert.throws(() => sizeMb('N/A'), { message: 'Docker printed N/A, which is no size' });
});

test('parseSteps() reads the steps of cluster create, and no other line', () => {
  const text =
    'keys 0.5s\n4 nodes Ready 12.0s\ncluster "a": 4 nodes answer after 3.1s\nuse it with: kubectl\n';
  assert.deepEqual(parseSteps(text), [
    { step: 'keys', seconds: 0.5 },
    { step: '4 nodes Ready', seconds: 12 },
  ]);
});
