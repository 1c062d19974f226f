import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@nodewright/fault';
import { adoptRoots } from './adopt-roots.ts';
import type { TrustRoot } from './trust-root.ts';

const rootNamed = (name: string): TrustRoot => ({
  server: { certificate: name, key: '' },
  issuingCa: { certificate: '', key: '' },
  acceptedCas: '',
  token: new Secret(''),
});

async function run(roots: AsyncIterable<TrustRoot>) {
  const events: string[] = [];
  let current = 'first';
  await adoptRoots(roots, {
    adopt({ server }) {
      if (server.certificate === 'broken') throw new Error('key values mismatch');
      current = server.certificate;
    },
    onAdopted: () => events.push('adopted'),
    onFailed: (problem) => events.push(problem),
  });
  return { events, current };
}

test('adoptRoots() keeps the last root when one cannot be adopted, and adopts the next', async () => {
  async function* roots() {
    yield rootNamed('broken');
  }
  assert.deepEqual(await run(roots()), { events: ['key values mismatch'], current: 'first' });
  async function* more() {
    yield* roots();
    yield rootNamed('second');
  }
  assert.deepEqual(await run(more()), { events: ['key values mismatch', 'adopted'], current: 'second' });
});

test('adoptRoots() reports an error of the source instead of rejecting', async () => {
  async function* roots() {
    yield rootNamed('second');
    throw new Error('the state cannot be read');
  }
  assert.deepEqual(await run(roots()), {
    events: ['adopted', 'the state cannot be read'],
    current: 'second',
  });
});
