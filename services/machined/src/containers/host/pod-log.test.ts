import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readPodLog } from './pod-log.ts';

const folder = await mkdtemp(join(tmpdir(), 'pod-log-'));
after(() => rm(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

const labels = {
  'io.kubernetes.pod.namespace': 'kube-system',
  'io.kubernetes.pod.name': 'web-1',
  'io.kubernetes.pod.uid': '1-2-3',
  'io.kubernetes.container.name': 'web',
};
const container = { id: 'abc', labels };
const own = join(folder, 'kube-system_web-1_1-2-3', 'web');
const line = (text: string) => `2026-01-01T00:00:00.000000000Z stdout F ${text}\n`;

async function text(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const read = (tailLines: number, ended?: () => Promise<void>) =>
  text(readPodLog({ folder, container, tailLines, ...(ended && { ended }) }, signal));

test('readPodLog() reads the log of the latest start of a container, or its last lines', async () => {
  await assert.rejects(read(-1), { kind: 'not-found', message: 'container "abc" has written no log' });
  await mkdir(own, { recursive: true });
  await writeFile(join(own, '2.log'), line('second'));
  await writeFile(join(own, '10.log'), line('a') + line('b') + line('c'));
  await writeFile(join(own, '10.log.20260101-000000'), line('rotated'));
  assert.equal(await read(-1), line('a') + line('b') + line('c'));
  assert.equal(await read(2), line('b') + line('c'));
});

test('readPodLog() follows a container until it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const followed = read(1, () => promise);
  await appendFile(join(own, '10.log'), line('d'));
  resolve();
  assert.ok((await followed).endsWith(line('d')));
});

test('readPodLog() reads no log of a pod as a whole, and follows no label out of its folder', async () => {
  const { 'io.kubernetes.container.name': _name, ...sandbox } = labels;
  for (const changed of [
    sandbox,
    { ...labels, 'io.kubernetes.pod.uid': '../../etc' },
    { ...labels, 'io.kubernetes.container.name': '..' },
  ]) {
    const pieces = readPodLog({ folder, container: { id: 'abc', labels: changed }, tailLines: -1 }, signal);
    await assert.rejects(text(pieces), { kind: 'failed-precondition' });
  }
});
