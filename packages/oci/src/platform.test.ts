import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Descriptor } from './descriptor.ts';
import { formatPlatform, type Platform, parsePlatform, platformOfNode, selectManifest } from './platform.ts';

const manifestFor = (platform: Platform | undefined): Descriptor => ({
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  digest: `sha256:${(platform === undefined ? 'none' : formatPlatform(platform)).padEnd(64, '0')}`,
  size: 1,
  ...(platform === undefined ? {} : { platform }),
});
const chosen = (wanted: Platform, offered: readonly (Platform | undefined)[]) => {
  const found = selectManifest(offered.map(manifestFor), wanted);
  return found === undefined
    ? 'none'
    : found.platform === undefined
      ? 'unsaid'
      : formatPlatform(found.platform);
};
const linux = (architecture: string, variant?: string): Platform => ({
  os: 'linux',
  architecture,
  ...(variant === undefined ? {} : { variant }),
});

test('selectManifest() picks the manifest of the platform, and compares variants when both are set', () => {
  const unknown = { os: 'unknown', architecture: 'unknown' };
  const rows: [Platform, (Platform | undefined)[], string][] = [
    [linux('amd64'), [linux('arm64'), linux('amd64')], 'linux/amd64'],
    [linux('amd64'), [{ os: 'windows', architecture: 'amd64' }, unknown], 'none'],
    [linux('amd64'), [linux('amd64', 'v3'), linux('amd64')], 'linux/amd64'],
    [linux('amd64'), [linux('amd64', 'v2')], 'linux/amd64/v2'],
    [linux('arm64'), [linux('arm64', 'v8')], 'linux/arm64/v8'],
    [linux('arm64', 'v8'), [linux('arm64')], 'linux/arm64'],
    [linux('arm', 'v7'), [linux('arm', 'v6'), linux('arm', 'v7')], 'linux/arm/v7'],
    [linux('arm', 'v7'), [linux('arm', 'v6')], 'none'],
    [linux('amd64'), [undefined, linux('amd64')], 'linux/amd64'],
    [linux('amd64'), [undefined, linux('arm64')], 'unsaid'],
    [linux('amd64'), [], 'none'],
  ];
  for (const [wanted, offered, expected] of rows)
    assert.equal(
      chosen(wanted, offered),
      expected,
      `${formatPlatform(wanted)} of ${JSON.stringify(offered)}`,
    );
});

test('platformOfNode() maps architectures of Node.js to those of images', () => {
  assert.deepEqual(
    ['x64', 'arm64', 's390x'].map((name) => formatPlatform(platformOfNode(name))),
    ['linux/amd64', 'linux/arm64', 'linux/s390x'],
  );
});

test('parsePlatform() reads what formatPlatform() writes, and nothing else', () => {
  for (const text of ['linux/amd64', 'linux/arm64/v8'])
    assert.equal(formatPlatform(parsePlatform(text) ?? platformOfNode('x64')), text);
  for (const text of ['', 'linux', 'linux/', 'a/b/c/d', 'Linux/amd64'])
    assert.equal(parsePlatform(text), undefined);
});
