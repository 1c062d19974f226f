import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Blob, TestImage } from './test-image.ts';

/** A registry on loopback with failures on request. Disposing of it stops it. */
export interface TestRegistry extends AsyncDisposable {
  /** `127.0.0.1:<port>`, the first part of references. */
  readonly host: string;
  /** Stores images under a name and tag: one image, or an index and its images. */
  put(name: string, tag: string, manifest: Blob, images: readonly TestImage[]): void;
  /** Cuts connections after this many bytes of a larger blob; undefined stops that. */
  cutAfterBytes: number | undefined;
  /** Credentials that clients must send. */
  credentials: { readonly username: string; readonly password: string } | undefined;
}

export async function openTestRegistry(): Promise<TestRegistry> {
  const manifests = new Map<string, Blob>();
  const blobs = new Map<string, Blob>();
  const server = createServer((request, response) => answer(registry, manifests, blobs, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry: TestRegistry = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfterBytes: undefined,
    credentials: undefined,
    put(name, tag, manifest, images) {
      manifests.set(`${name}:${tag}`, manifest);
      for (const one of [manifest, ...images.map((image) => image.manifest)])
        manifests.set(`${name}:${one.digest}`, one);
      for (const { config, layers } of images)
        for (const blob of [config, ...layers]) blobs.set(blob.digest, blob);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return registry;
}

function answer(
  { credentials, cutAfterBytes }: TestRegistry,
  manifests: ReadonlyMap<string, Blob>,
  blobs: ReadonlyMap<string, Blob>,
  request: IncomingMessage,
  response: ServerResponse,
): unknown {
  const wanted =
    credentials &&
    `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  if (wanted !== undefined && request.headers.authorization !== wanted) {
    response.setHeader('www-authenticate', 'Basic realm="test"');
    return refuse(response, 401, 'UNAUTHORIZED', 'authentication required');
  }
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path === '/v2/' || path === '/v2') return response.end('{}');
  const [, name, kind, which] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
  const found = kind === 'manifests' ? manifests.get(`${name}:${which}`) : blobs.get(which ?? '');
  if (found === undefined) {
    const code = kind === 'manifests' ? 'MANIFEST_UNKNOWN' : 'BLOB_UNKNOWN';
    return refuse(response, 404, code, `${kind === 'manifests' ? 'manifest' : 'blob'} unknown`);
  }
  response.setHeader('content-type', found.mediaType);
  response.setHeader('docker-content-digest', found.digest);
  const [, from = '0'] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
  const bytes = found.bytes.subarray(Number(from));
  response.setHeader('content-length', bytes.length);
  if (Number(from) > 0) {
    response.setHeader('content-range', `bytes ${from}-${found.bytes.length - 1}/${found.bytes.length}`);
    response.statusCode = 206;
  }
  if (request.method === 'HEAD') return response.end();
  if (kind !== 'blobs' || cutAfterBytes === undefined || found.bytes.length <= cutAfterBytes)
    return response.end(bytes);
  // A client that resumes at this byte is cut off again.
  return response.write(bytes.subarray(0, Math.max(cutAfterBytes - Number(from), 0)), () =>
    response.destroy(),
  );
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ errors: [{ code, message }] }));
}
