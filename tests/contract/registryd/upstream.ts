// A registry of the internet as registryd sees it, with the failures of one.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestOf, mediaTypes } from '@nodewright/oci';

/** What a blob request does instead of sending everything. */
export type BlobHook = (request: IncomingMessage, response: ServerResponse, bytes: Buffer) => boolean;

export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** The requests so far, as `METHOD path`, with ` range` appended. */
  readonly requests: string[];
  /** Replaces the answer of blobs while it returns true. */
  blobHook: BlobHook | undefined;
  /** Replaces the content of manifests, whatever was asked for. */
  manifestHook: (() => Buffer) | undefined;
  /** Every request needs this value of the header Authorization. */
  authorization: string | undefined;
  /** Every request needs a token; called for the status with which the token service answers. */
  tokenStatus: (() => number) | undefined;
  /** Adds an image with layers of these contents. */
  addImage(repository: string, tag: string, layers: readonly Buffer[]): UpstreamImage;
  /** Adds a manifest as it is. */
  addManifest(repository: string, tag: string, manifest: Buffer): void;
  /** Adds a blob under any digest. */
  addBlob(digest: string, bytes: Buffer): void;
  removeTag(repository: string, tag: string): void;
  /** Requests for the content of a blob or a manifest. */
  countOf(which: string): number;
  /** Stops listening; `start` listens on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface UpstreamImage {
  readonly manifest: Buffer;
  readonly digest: string;
  /** Configuration first. */
  readonly blobs: readonly { readonly digest: string; readonly bytes: Buffer }[];
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const describe = (mediaType: string, content: Buffer) => ({
  ...{ mediaType, digest: digestOf(content), size: content.length },
});

export async function startUpstream(): Promise<Upstream> {
  const manifests = new Map<string, Buffer>();
  const blobs = new Map<string, Buffer>();
  const requests: string[] = [];
  let port = 0;

  const server = createServer((request, response) => {
    const { method = '', headers } = request;
    const path = new URL(request.url ?? '', 'http://upstream').pathname;
    requests.push(`${method} ${path}${headers.range === undefined ? '' : ` ${headers.range}`}`);
    response.on('error', () => {});
    if (upstream.authorization !== undefined && headers.authorization !== upstream.authorization)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="upstream"' }).end();
    if (path === '/token')
      return response.writeHead(upstream.tokenStatus?.() ?? 404).end('{"token":"granted"}');
    if (upstream.tokenStatus !== undefined && headers.authorization !== 'Bearer granted')
      return response.writeHead(401, { 'www-authenticate': `Bearer realm="${upstream.url}/token"` }).end();
    const [, repository, family, which = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
    const bytes =
      family === 'blobs'
        ? blobs.get(which)
        : (upstream.manifestHook?.() ?? manifests.get(`${repository} ${which}`));
    if (bytes === undefined)
      return response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"not here"}]}');
    if (family === 'blobs' && method === 'GET' && upstream.blobHook?.(request, response, bytes)) return;
    sendBytes(request, response, bytes);
  });
  const upstream: Upstream = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    requests,
    blobHook: undefined,
    manifestHook: undefined,
    authorization: undefined,
    tokenStatus: undefined,
    addImage(repository, tag, layers) {
      const config = json({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [] } });
      const manifest = json({
        ...{ schemaVersion: 2, mediaType: mediaTypes.manifest, config: describe(mediaTypes.config, config) },
        layers: layers.map((layer) => describe(mediaTypes.layer, layer)),
      });
      const digest = digestOf(manifest);
      this.addManifest(repository, tag, manifest);
      const found = [config, ...layers].map((bytes) => ({ digest: digestOf(bytes), bytes }));
      for (const blob of found) blobs.set(blob.digest, blob.bytes);
      return { manifest, digest, blobs: found };
    },
    addManifest(repository, tag, manifest) {
      for (const which of [tag, digestOf(manifest)]) manifests.set(`${repository} ${which}`, manifest);
    },
    addBlob: (digest, bytes) => void blobs.set(digest, bytes),
    removeTag: (repository, tag) => void manifests.delete(`${repository} ${tag}`),
    countOf: (which) => requests.filter((line) => line.startsWith('GET ') && line.includes(which)).length,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    async start() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await this.stop();
    },
  };
  await upstream.start();
  return upstream;
}

/** Sends bytes, from the start of a range on. */
export function sendBytes(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from > 0 && from >= bytes.length) return void response.writeHead(416).end();
  const rest = bytes.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    'content-type': bytes[0] === 0x7b ? mediaTypes.manifest : 'application/octet-stream',
    'content-length': rest.length,
  });
  response.end(request.method === 'HEAD' ? undefined : rest);
}

/** Announces the whole blob, and breaks the connection after a number of bytes from its start. */
export function sendCut(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  end: number,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from });
  response.write(bytes.subarray(from, end), () => setTimeout(() => response.destroy(), 20));
}
