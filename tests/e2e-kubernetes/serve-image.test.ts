import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ociImage } from '../../rootfs/image/oci-image.ts';
import { serveImage } from './serve-image.ts';

test('serveImage() serves the manifest by tag and digest, and the blobs, and nothing else', async () => {
  const image = ociImage({ architecture: 'amd64', layers: [[]], config: {}, epochSeconds: 0 });
  await using server = await serveImage('registry.example/team/app:v1', image, '127.0.0.1');
  const { manifest, config } = image;
  for (const which of ['v1', manifest.digest]) {
    const answer = await fetch(`${server.url}/v2/team/app/manifests/${which}`);
    assert.equal(answer.headers.get('content-type'), manifest.mediaType);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), manifest.content);
  }
  const head = await fetch(`${server.url}/v2/team/app/manifests/v1?ns=registry.example`, { method: 'HEAD' });
  assert.equal(head.headers.get('docker-content-digest'), manifest.digest);
  const blob = await fetch(`${server.url}/v2/team/app/blobs/${config.digest}`);
  assert.deepEqual(Buffer.from(await blob.arrayBuffer()), config.content);
  for (const path of ['/v2/team/app/manifests/v2', '/v2/team/other/manifests/v1'])
    assert.equal((await fetch(`${server.url}${path}`)).status, 404, path);
});
