// A registry that serves an OCI layout to machines: they reach this host under an address of their own network.
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hostAddress } from '@nodewright/provision/machine';

export interface LayoutRegistry extends AsyncDisposable {
  /** For machines. */
  readonly url: string;
  /** For processes of this host. */
  readonly localUrl: string;
}

/** Serves the image of the layout under any name. @param folder an OCI layout @param wanted port; by default a free one */
export async function serveLayout(folder: string, wanted = 0): Promise<LayoutRegistry> {
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
    readonly manifests: readonly { readonly digest: string }[];
  };
  const blobPath = (digest: string) => join(folder, 'blobs', digest.replace(':', '/'));
  const server = createServer((request, response) => {
    const [, kind, reference = ''] = /^\/v2\/.+\/(manifests|blobs)\/([^/?]+)/.exec(request.url ?? '') ?? [];
    const digest = reference.startsWith('sha256:') ? reference : (index.manifests[0]?.digest ?? '');
    try {
      if (request.url === '/v2/') return void response.end('{}');
      const { size } = statSync(blobPath(digest));
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const type =
        kind === 'blobs'
          ? 'application/octet-stream'
          : ((JSON.parse(readFileSync(blobPath(digest), 'utf8')) as { mediaType?: string }).mediaType ??
            'application/vnd.oci.image.index.v1+json');
      response.writeHead(from > 0 ? 206 : 200, {
        'content-type': type,
        'content-length': size - from,
        'docker-content-digest': digest,
        ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
      });
      if (request.method === 'HEAD') return void response.end();
      createReadStream(blobPath(digest), { start: from }).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${hostAddress}:${port}`,
    localUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
