import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestImage } from '@nodewright/containers/testing';

/** A registry with images. It records which blobs are requested, and tests can override its answers. */
export interface ScriptedRegistry extends AsyncDisposable {
  readonly host: string;
  /** The digest of each requested blob, and the first byte of the request. */
  readonly asked: { readonly digest: string; readonly from: number }[];
  /** Answers in place of the registry when it returns true. */
  answer: (digest: string, response: ServerResponse, bytes: Buffer) => boolean;
}

/** `images`, by the repository that holds them, each with the tag `v1`. */
export async function openScriptedRegistry(
  images: Readonly<Record<string, TestImage>>,
): Promise<ScriptedRegistry> {
  const blobs = new Map(
    Object.values(images).flatMap(({ config, layers }) =>
      [config, ...layers].map((blob) => [blob.digest, blob.bytes]),
    ),
  );
  const registry: Pick<ScriptedRegistry, 'asked' | 'answer'> = { asked: [], answer: () => false };
  const server = createServer((request, response) => {
    const [, repository = '', kind, which = ''] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url ?? '') ?? [];
    const { manifest } = images[repository] ?? {};
    if (kind === 'manifests' && manifest !== undefined)
      return response.setHeader('content-type', manifest.mediaType).end(manifest.bytes);
    const whole = blobs.get(which);
    if (whole === undefined) return response.writeHead(404).end();
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    registry.asked.push({ digest: which, from });
    const bytes = whole.subarray(from);
    response.statusCode = from > 0 ? 206 : 200;
    response.setHeader('content-length', bytes.length);
    if (!registry.answer(which, response, bytes)) response.end(bytes);
    return response;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(registry, {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
