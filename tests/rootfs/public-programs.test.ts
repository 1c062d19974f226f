// The images here are made by the test, and have the names of the public ones. Those are never pulled by tests.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { archiveItems } from '@nodewright/build/archives';
import { digestOf, mediaTypes, parseImageReference } from '@nodewright/oci';
import { kubernetesPrograms } from '@nodewright/provision/kubernetes-programs';
import { kubernetesImages } from '../../rootfs/kubernetes/image-table.ts';
import { publicPrograms, usePublicPrograms } from '../../rootfs/kubernetes/public-programs.ts';

type Answer = (response: ServerResponse, bytes: Buffer) => void;
const send: Answer = (response, bytes) => void response.end(bytes);
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

const kubectl = publicPrograms.get('kubectl') as { reference: string; path: string };

/** A registry for every name, which holds one image per program, and how it answers for some of them. */
async function openRegistry(t: TestContext) {
  const documents = new Map<string, Buffer>();
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '').split('?')[0] ?? '';
    requests.push(url);
    const [, repository = '', what = ''] = /^\/v2\/(.*)\/(?:manifests|blobs)\/(.*)$/.exec(url) ?? [];
    const bytes = documents.get(`${repository} ${what}`);
    const answer = answers.get(`${repository} ${what}`) ?? answers.get(repository) ?? send;
    if (bytes !== undefined) return answer(response, bytes);
    response.statusCode = 404;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const put = (repository: string, bytes: Buffer, tag?: string) => {
    documents.set(`${repository} ${digestOf(bytes)}`, bytes);
    if (tag !== undefined) documents.set(`${repository} ${tag}`, bytes);
    return { digest: digestOf(bytes), size: bytes.length };
  };
  /** @param layers from the lowest: files by path, `gzip` unless said otherwise; `undefined` in the place of a text removes */
  const putImage = (text: string, layers: readonly Readonly<Record<string, string>>[], pack = gzipSync) => {
    const { repository, tag } = parseImageReference(text);
    const type = pack === gzipSync ? 'gzip' : 'zstd';
    const packed = layers.map((files) => {
      const items = Object.entries(files).map(([name, data]) => ({
        ...{ name, content: { kind: 'file', data: [Buffer.from(data)] } as const },
      }));
      return {
        mediaType: `${mediaTypes.layer}+${type}`,
        ...put(repository, pack(Buffer.concat(archiveItems(items)))),
      };
    });
    const json = (value: unknown) => Buffer.from(JSON.stringify({ schemaVersion: 2, ...(value as object) }));
    const config = { mediaType: 'application/vnd.oci.image.config.v1+json', ...put(repository, json({})) };
    const manifest = put(repository, json({ mediaType: mediaTypes.manifest, config, layers: packed }));
    const platforms = [
      { os: 'linux', architecture: 's390x' },
      { os: 'linux', architecture },
    ];
    const manifests = platforms.map((platform) => ({
      mediaType: mediaTypes.manifest,
      ...manifest,
      platform,
    }));
    const index = put(repository, json({ mediaType: mediaTypes.index, manifests }), tag);
    return { repository, digest: index.digest, layers: packed.map(({ digest }) => digest) };
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { answers, requests, putImage, endpointsOf: () => [{ url }] };
}

async function open(t: TestContext) {
  const checkout = mkdtempSync(join(tmpdir(), 'public-programs-'));
  t.after(() => rmSync(checkout, { recursive: true, force: true }));
  const registry = await openRegistry(t);
  for (const [name, { reference, path }] of publicPrograms)
    registry.putImage(reference, [{ 'etc/passwd': 'root', [path]: 'old' }, { [path]: `program ${name}` }]);
  const lines: string[] = [];
  const use = (init: Partial<Parameters<typeof usePublicPrograms>[0]> = {}) =>
    usePublicPrograms({
      ...{ checkout, environment: { BUILD_CACHE: join(checkout, 'cache') }, isBuilt: false },
      note: (line) => void lines.push(line),
      ...{ signal: new AbortController().signal, endpointsOf: registry.endpointsOf, ...init },
    });
  const linked = (name: string) => join(checkout, '_out', 'tools', 'kubernetes', name);
  const own = kubectl.reference.replaceAll(/[^\w.-]+/g, '_');
  const fetched = join(checkout, 'cache', 'public-images', own, `linux-${architecture}`, 'kubectl');
  return { registry, lines, use, linked, fetched };
}

test('the public images are those of the versions that nodes get, and one more for kubectl', () => {
  assert.deepEqual([...publicPrograms.keys()], [...kubernetesPrograms]);
  const references = [...publicPrograms.values()].map(({ reference }) => reference);
  const ofNodes = kubernetesImages.map(({ reference }) => reference);
  assert.deepEqual(
    references.filter((reference) => !ofNodes.includes(reference)),
    [kubectl.reference],
  );
  assert.match(kubectl.reference, /^registry\.k8s\.io\/kubectl:v\d+\.\d+\.\d+$/);
});

test('usePublicPrograms() fetches each program once, and prints the digest of its first pull', async (t) => {
  const { registry, lines, use, linked, fetched } = await open(t);
  assert.equal(await use(), true);
  for (const name of kubernetesPrograms) {
    assert.equal(readFileSync(linked(name), 'utf8'), `program ${name}`);
    assert.equal(statSync(linked(name)).mode & 0o777, 0o755);
  }
  assert.equal(lines.length, kubernetesPrograms.length);
  const again = registry.putImage(kubectl.reference, [{ [kubectl.path]: 'program kubectl' }]);
  const written = readFileSync(join(fetched, '..', 'digest'), 'utf8').trim();
  assert.ok(lines.includes(`first pull of ${kubectl.reference}: ${written}`), lines.join('\n'));
  assert.notEqual(written, again.digest);
  registry.requests.length = 0;
  assert.equal(await use(), true);
  assert.deepEqual([registry.requests, lines.length], [[], kubernetesPrograms.length]);
});

test('usePublicPrograms() leaves a build of this machine alone', async (t) => {
  const { registry, use } = await open(t);
  assert.equal(await use({ isBuilt: true }), false);
  assert.deepEqual(registry.requests, []);
});

test('a later pull must have the digest of the first', async (t) => {
  const { registry, lines, use, linked, fetched } = await open(t);
  await use();
  // The same image may be fetched again.
  rmSync(fetched);
  assert.equal(await use(), true);
  rmSync(fetched);
  registry.putImage(kubectl.reference, [{ [kubectl.path]: 'another program' }]);
  assert.equal(await use(), false);
  assert.match(
    lines.at(-1) ?? '',
    /^kubectl cannot be taken from registry\.k8s\.io\/kubectl:\S+ \(\S+ has the digest sha256:\w+ now, and had sha256:\w+ at its first pull: remove \S+\/digest if that is right\): Kubernetes is built from Go modules$/,
  );
  assert.equal(existsSync(linked('kubectl')), false);
});

test('a program in a layer of zstd is found, and one that a higher layer removes is not', async (t) => {
  const { registry, lines, use, linked } = await open(t);
  registry.putImage(kubectl.reference, [{ [kubectl.path]: 'packed' }], zstdCompressSync as typeof gzipSync);
  assert.equal(await use(), true);
  assert.equal(readFileSync(linked('kubectl'), 'utf8'), 'packed');
  const other = await open(t);
  other.registry.putImage(kubectl.reference, [{ [kubectl.path]: 'gone' }, { 'bin/.wh.kubectl': '' }]);
  assert.equal(await other.use(), false);
  assert.match(other.lines.at(-1) ?? '', /\(\S+ has no bin\/kubectl\): Kubernetes is built/);
  assert.ok(lines.length > 0);
});

/** How a registry fails, and what is printed. The names are of what it does for the image of kubectl. */
const failures: Readonly<
  Record<string, { readonly answer: Answer; readonly where?: 'layer'; readonly says: RegExp }>
> = {
  'has no such image': {
    answer: (response) => void response.writeHead(404).end(),
    says: /\(.*(not found|404|no ).*\)/i,
  },
  'does not answer': { answer: () => {}, says: /\(.*\)/ },
  'refuses with an error': { answer: (response) => void response.writeHead(500).end(), says: /\(.*500.*\)/ },
  'stops within a layer': {
    where: 'layer',
    answer: (response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length - 1));
    },
    says: /\(.*\)/,
  },
  'is cut off within a layer': {
    where: 'layer',
    answer: (response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length - 1), () => response.destroy());
    },
    says: /\(.*\)/,
  },
  'sends another layer': {
    where: 'layer',
    answer: (response, bytes) => void response.end(Buffer.alloc(bytes.length)),
    says: /\(a layer has the digest sha256:\w+ and not sha256:\w+\)/,
  },
  'sends more than the layer': {
    where: 'layer',
    answer: (response, bytes) => void response.end(Buffer.concat([bytes, bytes])),
    says: /\(.*sends more.*\)/,
  },
  'sends a document that is none': {
    answer: (response) => void response.end('<html>a portal</html>'),
    says: /\(.*\)/,
  },
};

for (const [what, { answer, where, says }] of Object.entries(failures))
  test(`Kubernetes is built when the registry ${what}, and no program is left half`, async (t) => {
    const { registry, lines, use, linked, fetched } = await open(t);
    const image = registry.putImage(kubectl.reference, [{ [kubectl.path]: 'x'.repeat(9000) }]);
    const whole = where === 'layer' ? `${image.repository} ${image.layers[0]}` : image.repository;
    registry.answers.set(whole, answer);
    // Only this program: a slow machine must not take an honest answer for a missing one.
    assert.equal(await use({ programs: new Map([['kubectl', kubectl]]), idleTimeoutMs: 500 }), false);
    const line = lines.at(-1) ?? '';
    assert.match(line, /^kubectl cannot be taken from \S+ \(.+\): Kubernetes is built from Go modules$/);
    assert.match(line, says);
    assert.equal(existsSync(linked('kubectl')), false);
    assert.equal(existsSync(fetched), false);
    // The registry recovers.
    registry.answers.clear();
    assert.equal(await use(), true);
    assert.equal(readFileSync(linked('kubectl'), 'utf8').length, 9000);
  });

test('usePublicPrograms() ends when it is aborted', async (t) => {
  const { registry, use } = await open(t);
  const stop = new AbortController();
  registry.answers.set(parseImageReference(kubectl.reference).repository, () =>
    stop.abort(new Error('stopped')),
  );
  await assert.rejects(use({ signal: stop.signal, idleTimeoutMs: 60_000 }), { message: 'stopped' });
});
