import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { verifyDigest } from './digest.ts';
import { chainIds, parseImageConfig, parseIndex, parseManifest } from './image-documents.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const dataLoss = { kind: 'data-loss' };

test('parseManifest() and parseIndex() read the needed fields and drop unknown ones', () => {
  const config = { mediaType: 'config', digest: digest('1'), size: 7, extra: true };
  const layer = { mediaType: 'layer', digest: digest('2'), size: 0, annotations: { a: 'b' } };
  assert.deepEqual(parseManifest(json({ schemaVersion: 2, config, layers: [layer] })), {
    config: { mediaType: 'config', digest: digest('1'), size: 7 },
    layers: [layer],
  });
  const platform = { os: 'linux', architecture: 'arm64', variant: 'v8', features: ['x'] };
  assert.deepEqual(parseIndex(json({ manifests: [{ ...config, platform }] })), {
    manifests: [
      {
        mediaType: 'config',
        digest: digest('1'),
        size: 7,
        platform: { os: 'linux', architecture: 'arm64', variant: 'v8' },
      },
    ],
  });
});

test('rejects documents with content that has no digest or size', () => {
  const wrong = [
    { digest: 'sha256:../../etc', size: 1 },
    { digest: digest('1'), size: -1 },
    { digest: digest('1'), size: 1.5 },
    { digest: digest('1') },
    'text',
    null,
  ];
  for (const config of wrong) assert.throws(() => parseManifest(json({ config, layers: [] })), dataLoss);
  for (const bytes of [Buffer.from('no json'), json([]), json(null), Buffer.from([0xff, 0xfe])])
    assert.throws(() => parseIndex(bytes), dataLoss);
});

test('any input of a registry is parsed or rejected as data-loss', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      for (const parse of [parseIndex, parseManifest, parseImageConfig])
        try {
          parse(Buffer.from(text));
        } catch (error) {
          assert.equal((error as { kind?: string }).kind, 'data-loss');
        }
    }),
  );
});

test('parseImageConfig() yields how to run the image, with defaults for missing fields', () => {
  const whole = {
    architecture: 'amd64',
    os: 'linux',
    config: { Entrypoint: ['/bin/app'], Cmd: ['serve'], Env: ['A=b'], WorkingDir: '/srv', User: '60:60' },
    rootfs: { type: 'layers', diff_ids: [digest('3')] },
  };
  assert.deepEqual(parseImageConfig(json(whole)), {
    platform: { os: 'linux', architecture: 'amd64' },
    diffIds: [digest('3')],
    process: {
      entrypoint: ['/bin/app'],
      command: ['serve'],
      environment: ['A=b'],
      workingDirectory: '/srv',
      user: '60:60',
    },
  });
  assert.deepEqual(parseImageConfig(json({ config: null })).process, {
    entrypoint: [],
    command: [],
    environment: [],
    workingDirectory: '/',
    user: '',
  });
  assert.throws(() => parseImageConfig(json({ rootfs: { diff_ids: ['x'] } })), dataLoss);
});

test('chainIds() computes the digests that the image specification defines', () => {
  // printf 'sha256:1… sha256:2…' | sha256sum, then the same with that digest and the next one.
  const [first, second, third] = ['1', '2', '3'].map(digest) as [string, string, string];
  assert.deepEqual(chainIds([]), []);
  assert.deepEqual(chainIds([first, second, third]), [
    first,
    'sha256:9932074217c35353d2e03a3f5a86549f7c67bfeb0ba53e23d69f4d4c8f7958f5',
    'sha256:50127c0d6b338be78246434b4bce23ecf75e505158ea0bbd15effeb162fbf3ec',
  ]);
});

test('verifyDigest() reports the actual digest', () => {
  const empty = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  verifyDigest(new Uint8Array(), empty, 'nothing');
  assert.throws(() => verifyDigest(new Uint8Array(), digest('1'), 'the manifest'), {
    ...dataLoss,
    message: `the manifest is not what was asked for: its digest is ${empty} and not ${digest('1')}`,
  });
});
