import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rolesKey } from '../domain/may-call.ts';
import { type Caller, type CallShare, CallShares } from './call-shares.ts';
import { CallerConduct } from './caller-conduct.ts';

const limits = {
  callsPerIdentity: 6,
  callsPerRoles: 10,
  callsPerApid: 12,
  reservedCallsPerApid: 4,
  calls: 16,
  reservedCalls: 4,
  smallCallerCalls: 2,
  bytesPerIdentity: 100,
  bytes: 150,
  rememberedIdentities: 3,
};
const rate = { burst: 3, perSecond: 1 };
const conductLimits = {
  cancels: rate,
  refusals: rate,
  lines: rate,
  pauseMs: 5000,
  longestPauseMs: 20_000,
  rememberedIdentities: 3,
};
const open = () => new CallShares(limits, new CallerConduct(conductLimits));

const client = (identity: string, ...roles: string[]): Caller => ({
  identity,
  apid: undefined,
  rolesKey: rolesKey(roles.length === 0 ? ['os:reader'] : roles),
});
const via = (apid: string, identity?: string, role = 'os:reader'): Caller => ({
  identity,
  apid,
  rolesKey: rolesKey([role]),
});

/** How many calls of this caller are granted, and the text that refuses the next one. */
function fill(shares: CallShares, caller: Caller): [number, string | undefined] {
  for (let count = 0; count < 100; count += 1) {
    const granted = shares.take(caller, 1, 0);
    if (typeof granted === 'string') return [count, granted];
  }
  return [100, undefined];
}

function shareOf(granted: CallShare | string): CallShare {
  if (typeof granted === 'string') throw new Error(granted);
  return granted;
}

test('CallShares limits the open calls of one identity, and releases each share once', () => {
  const shares = open();
  const first = shareOf(shares.take(client('a'), 1, 0));
  assert.deepEqual(fill(shares, client('a')), [5, 'too many open calls of this caller: the limit is 6']);
  first.release();
  first.release();
  assert.deepEqual(fill(shares, client('a'))[0], 1);
});

test('CallShares limits the total of certificates with the same roles', () => {
  const shares = open();
  assert.deepEqual(
    [
      fill(shares, client('a')),
      fill(shares, client('b')),
      fill(shares, client('c')),
      fill(shares, client('d', 'os:reader', 'os:future')),
    ],
    [
      [6, 'too many open calls of this caller: the limit is 6'],
      [4, 'too many open calls with these roles: the limit is 10'],
      [0, 'too many open calls with these roles: the limit is 10'],
      [0, 'too many open calls with these roles: the limit is 10'],
    ],
  );
  assert.equal(fill(shares, client('e', 'os:admin'))[0], 2);
});

test('CallShares reserves the last calls for callers with few calls', () => {
  const shares = open();
  fill(shares, client('a'));
  assert.deepEqual(fill(shares, client('b', 'os:admin')), [
    6,
    'too many open calls of this caller: the limit is 6',
  ]);
  assert.deepEqual(fill(shares, client('c', 'os:operator')), [
    2,
    'too many open calls on this node: the limit is 12',
  ]);
  assert.equal(fill(shares, client('d', 'os:etcd:backup'))[0], 2);
  assert.deepEqual(fill(shares, client('e', 'os:meta:writer')), [
    0,
    'too many open calls on this node: the limit is 16',
  ]);
});

test('CallShares counts calls that an apid forwards for named callers, with a reserve', () => {
  const shares = open();
  assert.deepEqual(
    [fill(shares, via('x', 'a')), fill(shares, via('x', 'b', 'os:admin'))],
    [
      [6, 'too many open calls of this caller: the limit is 6'],
      [2, 'too many open calls forwarded by one node: the limit is 8'],
    ],
  );
  assert.equal(fill(shares, via('x', 'c', 'os:admin'))[0], 2);
});

test("CallShares counts calls that an apid forwards without a caller as one caller's", () => {
  const shares = open();
  assert.deepEqual(fill(shares, via('x')), [8, 'too many open calls of this caller: the limit is 8']);
  assert.equal(fill(shares, client('a', 'os:admin'))[0], 4);
});

test('CallShares refuses new calls for a while when a caller cancels too often', () => {
  const shares = open();
  const calls = Array.from({ length: 4 }, () => shareOf(shares.take(client('a'), 1, 0)));
  assert.deepEqual(
    calls.map((share) => share.cancelled(0)),
    [true, true, true, false],
  );
  assert.equal(
    shares.take(client('a'), 1, 0),
    'too many cancelled calls of this caller: the limit is 3 at once and 1 per second, try again in 5s',
  );
  assert.equal(typeof shares.take(client('b'), 1, 0), 'object');
  assert.equal(typeof shares.take(client('a'), 1, 5000), 'object');
});

test('CallShares does not count cancels of unnamed callers behind an apid', () => {
  const shares = open();
  const share = shareOf(shares.take(via('x'), 1, 0));
  assert.deepEqual(
    [1, 2, 3, 4].map(() => share.cancelled(0)),
    [true, true, true, true],
  );
  assert.equal(typeof shares.take(via('x'), 1, 0), 'object');
});

test('CallShares limits the bytes of one caller and of all callers', () => {
  const shares = open();
  const [one, other] = [client('a'), client('b')].map((caller) => shareOf(shares.take(caller, 1, 0)).bytes);
  assert.deepEqual(
    [one?.take(100), one?.take(1)?.limitBytes, other?.take(51)?.limitBytes, other?.take(50)],
    [undefined, 100, 150, undefined],
  );
});

test('CallShares never exceeds a limit, and releases everything at the end', () => {
  const callers = [
    client('a'),
    client('b', 'os:admin'),
    via('x', 'c'),
    via('x'),
    via('y', 'd', 'os:operator'),
  ];
  const steps = fc.array(fc.tuple(fc.nat(callers.length - 1), fc.integer({ min: 1, max: 4 }), fc.boolean()));
  fc.assert(
    fc.property(steps, (list) => {
      const shares = open();
      const taken: { release(): void }[] = [];
      for (const [index, weight, isRelease] of list) {
        const caller = callers[index];
        if (caller === undefined) continue;
        const granted = shares.take(caller, weight, 0);
        if (typeof granted !== 'string') taken.push(granted);
        if (isRelease) taken.shift()?.release();
        assert.ok(shares.open <= limits.calls);
      }
      for (const share of taken) share.release();
      assert.equal(shares.open, 0);
    }),
  );
});
