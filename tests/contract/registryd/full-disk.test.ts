// A file system of 24 MiB, in a mount namespace of its own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { digestOf } from '@nodewright/oci';
import { startRegistryd } from './harness.ts';
import { startUpstream } from './upstream.ts';

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : 'a mount namespace needs root';

/** Mounts a small file system on the folder, and then becomes the daemon. */
const inSmallDisk = (folder: string) => [
  ...['unshare', '--mount', '--propagation', 'private', 'sh', '-c'],
  ...[`mount -t tmpfs -o size=24m,mode=700 tmpfs '${folder}' && exec "$@"`, 'sh'],
];

test('a full disk is told, removes old images first, and freed space is enough', { skip }, async () => {
  await using upstream = await startUpstream();
  const [first, second, huge, chunked] = [8, 8, 40, 30].map((size) => randomBytes(size * 1_000_000));
  assert.ok(first && second && huge && chunked);
  upstream.addImage('team/first', 'v1', [first]);
  upstream.addImage('team/second', 'v1', [second]);
  upstream.addImage('team/huge', 'v1', [huge]);
  upstream.addImage('team/chunked', 'v1', [chunked]);
  // The size of the last one is not announced.
  upstream.blobHook = (_request, response, bytes) => {
    if (bytes !== chunked) return false;
    response.writeHead(200);
    response.end(bytes);
    return true;
  };
  await using daemon = await startRegistryd({ mirror: upstream.url, through: inSmallDisk });
  const pull = async (name: string) => {
    for await (const step of daemon.management.pull({ reference: `registry.example/${name}:v1` }))
      if (step.digest !== '') return step.digest;
    return undefined;
  };
  await pull('team/first');
  await pull('team/second');
  const full = { message: /there is no space for registry.example\/team/ };
  await assert.rejects(pull('team/huge'), full);
  await assert.rejects(pull('team/chunked'), full);
  const response = await daemon.blob('team/huge', digestOf(huge));
  assert.equal(response.status, 507);
  assert.match(await response.text(), /there is no space for/);
  const status = await daemon.management.status({});
  assert.match(status.lastError, /there is no space/);
  // What was there before is whole, and nothing of the others is left.
  assert.ok(status.usedBytes < 17_000_000n, String(status.usedBytes));
  const blob = await daemon.blob('team/first', digestOf(first));
  assert.ok(Buffer.from(await blob.arrayBuffer()).equals(first));

  const third = randomBytes(9_000_000);
  upstream.addImage('team/third', 'v1', [third]);
  await assert.rejects(pull('team/third'), full);
  await daemon.management.removeImage({ reference: 'registry.example/team/first:v1' });
  assert.notEqual(await pull('team/third'), undefined);
});
