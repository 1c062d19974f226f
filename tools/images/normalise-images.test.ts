// The id of an image depends on its content, not on when, where and by which builder it was built.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readTar, withTimes, writeTar } from '@nodewright/build/archives';
import { normaliseImages } from './normalise-images.ts';

const epochSeconds = 1_700_000_000;
const digest = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A layer as a builder writes it: one file whose entry and extended header both have a time. */
function layerOf(content: string, builtSeconds: number): Buffer {
  const record = (text: string) => `${String(text.length + 4)} ${text}\n`;
  const extended = Buffer.from(`${record(`mtime=${builtSeconds}.5`)}${record('uname=some one')}`);
  const [extendedHeader, ...extendedRest] = writeTar([['PaxHeaders/file', [extended]]]);
  assert.ok(extendedHeader !== undefined);
  extendedHeader.write('x', 156, 'latin1');
  const file = withTimes(Buffer.concat(writeTar([['file', [Buffer.from(content)]]])), builtSeconds);
  return Buffer.concat([extendedHeader, ...extendedRest.slice(0, -1), ...file]);
}

interface Build {
  readonly builtSeconds: number;
  readonly content?: string;
  readonly hostname?: string;
  readonly compress?: boolean;
}

const shared = layerOf('shared', 1);

function savedImage({ builtSeconds, content = 'program', hostname = '', compress = false }: Build): Buffer {
  const layer = layerOf(content, builtSeconds);
  const created = new Date(builtSeconds * 1000).toISOString();
  const config = {
    created,
    architecture: 'amd64',
    os: 'linux',
    container: `made-at-${builtSeconds}`,
    docker_version: String(builtSeconds),
    config: {
      User: '50:50',
      Entrypoint: ['/usr/bin/node'],
      Hostname: hostname,
      Image: `sha256:${builtSeconds}`,
      Labels: { 'com.docker.compose.project': String(builtSeconds), title: 'a program' },
    },
    rootfs: { type: 'layers', diff_ids: [digest(shared), digest(layer)] },
    history: [{ created, created_by: `COPY file:${digest(layer).slice(7)} in /` }],
  };
  const manifest = [{ Config: 'c.json', RepoTags: ['draft:1'], Layers: ['a/layer.tar', 'b/layer.tar'] }];
  return Buffer.concat(
    writeTar([
      ['c.json', [Buffer.from(JSON.stringify(config))]],
      ['a/layer.tar', [shared]],
      ['b/layer.tar', [compress ? gzipSync(layer) : layer]],
      ['manifest.json', [Buffer.from(JSON.stringify(manifest))]],
    ]),
  );
}

const normalise = (build: Build) =>
  normaliseImages({
    saved: savedImage(build),
    architecture: 'arm64',
    epochSeconds,
    names: new Map([['draft:1', 'final:1']]),
  });

test('normaliseImages() gives two builds of the same content the same id and bytes', () => {
  const first = normalise({ builtSeconds: 1_800_000_000, hostname: 'here' });
  const second = normalise({ builtSeconds: 1_900_000_000, hostname: 'there', compress: true });
  assert.deepEqual(first.images, second.images);
  assert.equal(digest(Buffer.concat(first.archive)), digest(Buffer.concat(second.archive)));
  assert.notDeepEqual(
    first.images,
    normalise({ builtSeconds: 1_800_000_000, content: 'another program' }).images,
  );
});

test("normaliseImages() keeps the image's own configuration and names it by its final name", () => {
  const { archive, images } = normalise({ builtSeconds: 1_800_000_000 });
  const files = new Map([...readTar(Buffer.concat(archive))].map(({ name, data }) => [name, data]));
  const [entry] = JSON.parse(String(files.get('manifest.json')));
  const config = JSON.parse(String(files.get(entry.Config)));
  assert.deepEqual(entry.RepoTags, ['final:1']);
  assert.deepEqual(images, [{ name: 'final:1', id: digest(files.get(entry.Config) ?? Buffer.alloc(0)) }]);
  assert.deepEqual(config.config, {
    Entrypoint: ['/usr/bin/node'],
    Labels: { title: 'a program' },
    User: '50:50',
  });
  assert.equal(config.architecture, 'arm64');
  assert.equal(config.created, '2023-11-14T22:13:20.000Z');
  assert.equal(config.history, undefined);
  const layers = entry.Layers.map((path: string) => files.get(path));
  assert.deepEqual(layers.map(digest), config.rootfs.diff_ids);
});

test('withTimes() sets the time of every entry and removes the times of extended headers', () => {
  const entries = [...readTar(Buffer.concat(withTimes(layerOf('text', 1_800_000_000), epochSeconds)))];
  assert.deepEqual(
    entries.map(({ type, header, data }) => [
      type,
      Number.parseInt(header.toString('latin1', 136, 147), 8),
      String(data),
    ]),
    [
      ['x', epochSeconds, '18 uname=some one\n'],
      ['0', epochSeconds, 'text'],
    ],
  );
});
