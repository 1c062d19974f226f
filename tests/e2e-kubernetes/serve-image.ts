import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseImageReference } from '@nodewright/oci';
import { type Blob, descriptorOf, type OciImage } from '../../rootfs/image/oci-image.ts';

export interface ImageServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves one image as a registry does. Source: OCI distribution specification, pull.
 *
 * @param name registry, repository and tag
 * @param address of this machine, at which the nodes reach it
 */
export async function serveImage(name: string, image: OciImage, address: string): Promise<ImageServer> {
  const { repository, tag } = parseImageReference(name);
  const { manifest, config, layers } = image;
  const found = new Map<string, Blob>([
    ...[tag, manifest.digest].map((which): [string, Blob] => [
      `/v2/${repository}/manifests/${which}`,
      manifest,
    ]),
    ...[config, ...layers].map((blob): [string, Blob] => [`/v2/${repository}/blobs/${blob.digest}`, blob]),
  ]);
  const server = createServer(({ method, url = '' }, response) => {
    // A client that is slow must not send its next request while an idle connection is being closed.
    response.setHeader('connection', 'close');
    const blob = found.get(new URL(url, 'http://registry').pathname);
    if (blob === undefined) return void response.writeHead(404).end();
    const { mediaType, digest, size } = descriptorOf(blob);
    response.writeHead(200, {
      ...{ 'content-type': mediaType, 'content-length': size, 'docker-content-digest': digest },
    });
    response.end(method === 'HEAD' ? undefined : blob.content);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
