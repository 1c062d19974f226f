import assert from 'node:assert/strict';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { blobPath, manifestPath } from '../cache/cache-paths.ts';
import { isDigest } from '../digest.ts';
import { parseTarget } from './parse-target.ts';

const digest = `sha256:${'0'.repeat(64)}`;

test('parseTarget() reads repositories of several parts, tags, digests and the registry', () => {
  assert.deepEqual(parseTarget('/v2/team/app/manifests/v1?ns=registry.example%3A5000'), {
    ...{ kind: 'manifest', registry: 'registry.example:5000', repository: 'team/app', which: 'v1' },
  });
  assert.deepEqual(parseTarget(`/v2/a/blobs/${digest}`), {
    ...{ kind: 'blob', registry: undefined, repository: 'a', which: digest },
  });
  assert.deepEqual(parseTarget('/v2/library/blobs/manifests/latest?ns=index.docker.io'), {
    ...{ kind: 'manifest', registry: 'docker.io', repository: 'library/blobs', which: 'latest' },
  });
  for (const url of ['/v2', '/v2/', '/healthz', '/healthz/', '/v2/?n=1'])
    assert.deepEqual(parseTarget(url), { kind: 'alive' });
});

test('parseTarget() refuses names outside of the grammar with the code of the specification', () => {
  const refusals: [string, number, string][] = [
    ['/', 404, 'UNSUPPORTED'],
    ['/v2/a/tags/list', 404, 'UNSUPPORTED'],
    ['/v2/../manifests/v1', 400, 'NAME_INVALID'],
    ['/v2/a/%2e%2e/manifests/v1', 400, 'NAME_INVALID'],
    ['/v2/A/manifests/v1', 400, 'NAME_INVALID'],
    ['/v2/a/manifests/..', 400, 'MANIFEST_INVALID'],
    ['/v2/a/manifests/sha256:1', 400, 'DIGEST_INVALID'],
    ['/v2/a/blobs/v1', 400, 'DIGEST_INVALID'],
    ['/v2/a/manifests/v1?ns=..', 400, 'NAME_INVALID'],
    ['/v2/a/manifests/v1?ns=a/b', 400, 'NAME_INVALID'],
    ['/v2/a/manifests/v1?ns=', 400, 'NAME_INVALID'],
  ];
  for (const [url, status, code] of refusals) {
    const target = parseTarget(url);
    assert.ok(target.kind === 'refused', url);
    assert.deepEqual([target.status, target.code], [status, code], url);
  }
});

const hostile = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    '/',
    '%2e%2e',
    '%00',
    '\0',
    'a',
    '_',
    '-',
    'v2',
    'manifests',
    'blobs',
    digest,
  ),
  fc.string({ maxLength: 12 }),
);

test('parseTarget() leads no name out of the folder of the cache', () => {
  const requests = fc.tuple(
    fc.array(hostile, { maxLength: 6 }),
    fc.constantFrom('manifests', 'blobs'),
    hostile,
    fc.option(hostile),
  );
  fc.assert(
    fc.property(requests, ([parts, family, which, ns]) => {
      const query = ns === null ? '' : `?ns=${encodeURIComponent(ns)}`;
      const target = parseTarget(`/v2/${parts.join('/')}/${family}/${which}${query}`);
      if (target.kind !== 'manifest' && target.kind !== 'blob') return;
      const { registry = 'registry.example', repository } = target;
      const named = isDigest(target.which) ? { digest: target.which } : { tag: target.which };
      const path =
        target.kind === 'blob' ? blobPath(target.which) : manifestPath({ registry, repository, ...named });
      assert.equal(normalize(join('/cache', path)), `/cache/${path}`);
      assert.ok(!path.includes('\0') && !path.split('/').includes('..') && !path.includes('//'), path);
    }),
    { numRuns: 2000 },
  );
});
