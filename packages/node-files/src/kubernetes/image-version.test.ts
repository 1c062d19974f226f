import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagOfImage, versionOfImage } from './image-version.ts';

test('versionOfImage() reads the version from the tag, and takes every other image for the newest', () => {
  const minor = (image: string) => versionOfImage(image).minor;
  const newest = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(
    [
      minor('registry.k8s.io/kube-apiserver:v1.30.4'),
      minor('registry.k8s.io/kube-apiserver:1.31.0-rc.1'),
      minor('registry.k8s.io/kube-apiserver:v1.29.1@sha256:00'),
      minor('example.org:5000/kube-apiserver'),
      minor('example.org:5000/kube-apiserver@sha256:1.2'),
      minor('kube-apiserver:latest'),
    ],
    [30, 31, 29, newest, newest, newest],
  );
});

test('tagOfImage() does not take a port or a digest for a tag', () => {
  assert.deepEqual(['a:v1', 'a:5000/b', 'a:5000/b:c', 'a@sha256:00', 'a:v1@sha256:00'].map(tagOfImage), [
    'v1',
    '',
    'c',
    '',
    'v1',
  ]);
});
