import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf, type ImageReference } from '@nodewright/oci';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { PullThrough, type PullThroughInit } from './pull-through.ts';

const manifest = Buffer.from('{"schemaVersion":2}');
const mediaType = 'application/vnd.oci.image.manifest.v1+json';

/** A store in memory, and a registry that counts how often it is asked for a tag. */
function openSource() {
  const stored = new Set<string | undefined>();
  const asked = new Map<string, number>();
  const clock = { nowMs: 0 };
  const answer = { digest: digestOf(manifest), mediaType, bytes: manifest };
  const none = { manifest: async () => undefined };
  const source = new PullThrough({
    ...{ given: none, images: none, refusal: () => undefined, nowMs: () => clock.nowMs },
    store: {
      folder: { manifest: async ({ tag }: ImageReference) => (stored.has(tag) ? answer : undefined) },
      storeManifest: async ({ tag }: ImageReference) => void stored.add(tag),
      touch: async () => {},
    },
    client: {
      async resolve({ tag = '' }: ImageReference) {
        asked.set(tag, (asked.get(tag) ?? 0) + 1);
        return { descriptor: answer, bytes: manifest };
      },
    },
    log: createLogger({ name: 'registryd', telemetry: noTelemetry, level: 'silent' }),
  } as unknown as PullThroughInit);
  const resolve = (tag: string) =>
    source.resolve({ registry: 'registry.example', repository: 'team/app', tag });
  return { clock, asked, resolve };
}

test('a tag is asked for again after a minute, and what is remembered of it is not the first to be forgotten then', async () => {
  const { clock, asked, resolve } = openSource();
  // As many as are remembered.
  for (let index = 0; index < 1024; index += 1) await resolve(`v${index}`);
  clock.nowMs = 59_999;
  await resolve('v0');
  assert.equal(asked.get('v0'), 1);
  clock.nowMs = 60_000;
  await resolve('v0');
  assert.equal(asked.get('v0'), 2);
  // The tag that was asked for the longest time ago makes room.
  await resolve('another');
  await resolve('v0');
  await resolve('another');
  assert.deepEqual([asked.get('v0'), asked.get('another')], [2, 1]);
});
