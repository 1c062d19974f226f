// Reads the requests of clients, which may be hostile: only names of the grammar of images ever become paths of files.
import { isDigest } from '../digest.ts';
import { isRegistry, isRepository, isTag } from '../image-reference.ts';
import type { ErrorCode } from './error-codes.ts';

/** What a request is for. */
export type Target =
  | { readonly kind: 'alive' }
  | ContentTarget
  | {
      readonly kind: 'refused';
      readonly status: 400 | 404;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** A manifest or a blob. */
export interface ContentTarget {
  readonly kind: 'manifest' | 'blob';
  /** Of the parameter `ns`; undefined without it. */
  readonly registry: string | undefined;
  readonly repository: string;
  /** A digest, or for a manifest also a tag. */
  readonly which: string;
}

const alive = new Set(['/v2', '/v2/', '/healthz', '/healthz/']);

/** Source: OCI distribution specification, pull; Talos v1.14: image cache. */
export function parseTarget(url: string): Target {
  const [path = '', query = ''] = splitOnce(url, '?');
  if (alive.has(path)) return { kind: 'alive' };
  const [, repository = '', family, which = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]*)$/.exec(path) ?? [];
  if (family === undefined)
    return { kind: 'refused', status: 404, code: 'UNSUPPORTED', message: 'there is no such endpoint' };
  const kind = family === 'blobs' ? 'blob' : 'manifest';
  if (!isRepository(repository)) return refused('NAME_INVALID', 'the name of the repository is not valid');
  const registry = new URLSearchParams(query).get('ns') ?? undefined;
  if (registry !== undefined && !isRegistry(registry))
    return refused('NAME_INVALID', 'the parameter ns is not the host of a registry');
  if (kind === 'blob' && !isDigest(which)) return refused('DIGEST_INVALID', 'the digest is not valid');
  if (kind === 'manifest' && !isDigest(which) && !isTag(which))
    return which.includes(':')
      ? refused('DIGEST_INVALID', 'the digest is not valid')
      : refused('MANIFEST_INVALID', 'the reference is neither a tag nor a digest');
  return { kind, registry: registry === 'index.docker.io' ? 'docker.io' : registry, repository, which };
}

const refused = (code: ErrorCode, message: string): Target => ({
  ...{ kind: 'refused', status: 400, code, message },
});

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
