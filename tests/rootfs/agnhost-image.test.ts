// The image of agnhost for the end-to-end tests of Kubernetes: what agnhost expects in it, and the name under which nodes find it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { readTar } from '@nodewright/build/archives';
import { ociImage } from '../../rootfs/image/oci-image.ts';
import { agnhostFiles } from '../../rootfs/kubernetes/agnhost-files.ts';
import { agnhostImage } from '../../rootfs/kubernetes/image-table.ts';
import { imageArchive } from '../../rootfs/node-image/image-archive.ts';

const files = await agnhostFiles();
const textOf = (path: string) => {
  const content = files.find(({ name }) => name === path)?.content;
  assert.ok(content?.kind === 'file', path);
  return Buffer.concat(content.data).toString();
};

test('agnhost serves TLS with a certificate for localhost and its key', () => {
  const [cert, key] = [textOf('localhost.crt'), textOf('localhost.key')];
  createSecureContext({ cert, key });
  assert.match(new X509Certificate(cert).subjectAltName ?? '', /DNS:localhost, IP Address:127\.0\.0\.1/);
});

test('the user of the image has a group of the image besides its own', () => {
  assert.match(textOf('etc/passwd'), /^user-defined-in-image:x:1000:1000:/m);
  assert.match(textOf('etc/group'), /^group-defined-in-image:x:50000:user-defined-in-image$/m);
});

test('an archive names an image of another registry by its registry, and one without by that of Docker', () => {
  const image = ociImage({ architecture: 'amd64', epochSeconds: 0, config: {}, layers: [files] });
  const named = (reference: string) => {
    const archive = Buffer.concat(imageArchive(reference, image));
    const index = [...readTar(archive)].find(({ name }) => name === 'index.json');
    const { manifests } = JSON.parse(String(index?.data));
    return manifests[0].annotations['io.containerd.image.name'];
  };
  assert.equal(named(agnhostImage.reference), agnhostImage.reference);
  assert.equal(named('nodewright/node:dev'), 'docker.io/nodewright/node:dev');
});
