import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AdvertisedNames, advertisedNames } from './advertised-option.ts';
import {
  type AdvertisedState,
  advertisedOn,
  nextEndMs,
  nothingAdvertised,
  withAdvertised,
  withoutEnded,
} from './advertised-resolvers.ts';

const servers = (lifetimeSeconds: number | undefined, ...values: string[]): AdvertisedNames => ({
  ...{ kind: 'servers', values, lifetimeSeconds },
});
const advertise = (state: AdvertisedState, names: AdvertisedNames, nowMs = 0, linkIndex = 2) =>
  withAdvertised(state, { linkIndex, names, nowMs });
const at = (state: AdvertisedState, nowMs: number, isAccepting = (_: number) => true) =>
  advertisedOn(withoutEnded(state, { nowMs, isAccepting }), 2, 'servers');

test('a server lives until the end of its lifetime, which each advertisement begins anew', () => {
  const first = advertise(nothingAdvertised, servers(10, 'fd00::1', 'fd00::2'));
  assert.equal(nextEndMs(first), 10_000);
  const again = advertise(first, servers(10, 'fd00::2'), 5000);
  assert.deepEqual(at(again, 9999), ['fd00::1', 'fd00::2']);
  assert.deepEqual(at(again, 10_000), ['fd00::2']);
  assert.deepEqual(at(again, 15_000), []);
});

test('a lifetime of 0 ends a server at once, and one without end is kept', () => {
  const state = advertise(nothingAdvertised, servers(undefined, 'fd00::1', 'fd00::2'));
  assert.equal(nextEndMs(state), undefined);
  assert.deepEqual(at(advertise(state, servers(0, 'fd00::1'), 5), 1e12), ['fd00::2']);
});

test('a router that advertises more than the limit does not push out what was there', () => {
  const state = advertise(nothingAdvertised, servers(100, 'fd00::1'));
  const many = Array.from({ length: 100 }, (_, index) => `fd66::${index}`);
  const flooded = advertise(state, servers(1000, ...many));
  assert.deepEqual(at(flooded, 0), ['fd00::1', ...many.slice(0, 7)]);
});

test('a link that accepts no advertisements any more has no servers', () => {
  const state = advertise(
    advertise(nothingAdvertised, servers(100, 'fd00::1')),
    servers(100, 'fd00::3'),
    0,
    3,
  );
  assert.deepEqual(
    at(state, 0, (index) => index === 3),
    [],
  );
  assert.deepEqual(advertisedOn(withoutEnded(state, { nowMs: 0, isAccepting: () => true }), 3, 'servers'), [
    'fd00::3',
  ]);
});

test('whatever is advertised on however many links, the state has a limit', () => {
  const option = fc.record({
    linkIndex: fc.integer({ min: 1, max: 100 }),
    kind: fc.constantFrom('servers' as const, 'domains' as const),
    values: fc.array(fc.integer({ min: 0, max: 500 }).map(String), { maxLength: 60 }),
    lifetimeSeconds: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(option, { maxLength: 200 }), (options) => {
      let state = nothingAdvertised;
      for (const [nowMs, { linkIndex, ...names }] of options.entries())
        state = withAdvertised(state, { linkIndex, names, nowMs });
      assert.ok(state.length <= 16 * (8 + 32));
      const values = state.map((entry) => `${entry.linkIndex} ${entry.kind} ${entry.value}`);
      assert.equal(new Set(values).size, values.length);
    }),
  );
});

test('options that name servers and domains are read, and everything else is left out', () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  const address = (text: string) => text.padStart(32, '0');
  const read = (hex: string) => advertisedNames(bytes(hex));
  assert.deepEqual(read(`1903 0000 0000000a fd990000000000000000000000000053`), servers(10, 'fd99::53'));
  assert.deepEqual(
    read(`1903 0000 ffffffff fd990000000000000000000000000053`),
    servers(undefined, 'fd99::53'),
  );
  for (const useless of [address(''), address('1'), `ff02${'0'.repeat(28)}`, address('ffff0a000001')])
    assert.deepEqual(read(`1903 0000 00000001 ${useless}`), servers(1));
  assert.deepEqual(read(`1903 0000 00000001 fe80${'0'.repeat(27)}1`), servers(1, 'fe80::1'));
  assert.deepEqual(read('1f03 0000 0000000a 036c6162 07657861 6d706c65 00000000'), {
    ...{ kind: 'domains', values: ['lab.example'], lifetimeSeconds: 10 },
  });
  // A pointer, a control character, and a label that is longer than the option.
  assert.deepEqual(read('1f02 0000 0000000a 0161c000 00000000')?.values, []);
  assert.deepEqual(read('1f02 0000 0000000a 03610a62 00016300')?.values, ['c']);
  assert.deepEqual(read('1f02 0000 0000000a 3f616161 61616161')?.values, []);
  for (const other of ['', '19', '1903 0000 0000000a', '0501 0000 000005dc', '1901 0000 00'])
    assert.equal(read(other), undefined, other);
});

test('any option is read without a failure', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(25, 31), (rest, type) => {
      const padded = new Uint8Array(Math.ceil((rest.length + 2) / 8) * 8);
      padded.set([type, padded.length / 8, ...rest]);
      const names = advertisedNames(padded);
      for (const value of names?.values ?? []) assert.match(value, /^[0-9a-z:._-]{1,253}$/i);
    }),
  );
});
