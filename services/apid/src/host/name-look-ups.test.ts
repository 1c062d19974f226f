import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { lookUpLimits } from '../domain/limits.ts';
import { NameLookUps, TooManyLookUps } from './name-look-ups.ts';

/** Look-ups with a resolver that answers when it is told to. */
function openLookUps() {
  const asked = new Map<string, PromiseWithResolvers<readonly string[]>>();
  const names: string[] = [];
  const lookUps = new NameLookUps((name) => {
    const answer = Promise.withResolvers<readonly string[]>();
    asked.set(name, answer);
    names.push(name);
    return answer.promise;
  });
  const want = (name: string, signal = new AbortController().signal) => {
    const found = lookUps.lookUp(name, signal);
    found.catch(() => {});
    return found;
  };
  return { asked, names, want };
}

test('NameLookUps looks few names up at once, each once for all of its callers', async () => {
  const { asked, names, want } = openLookUps();
  const wanted = ['a', 'b', 'a', 'c', 'c', 'd'].map((name) => want(name));
  assert.deepEqual(names, ['a', 'b']);
  asked.get('a')?.resolve(['10.0.0.1']);
  assert.deepEqual(await Promise.all([wanted[0], wanted[2]]), [['10.0.0.1'], ['10.0.0.1']]);
  await turn();
  assert.deepEqual(names, ['a', 'b', 'c']);
  asked.get('b')?.reject(new Error('unknown'));
  await assert.rejects(wanted[1] ?? Promise.resolve(), { message: 'unknown' });
  await turn();
  assert.deepEqual(names, ['a', 'b', 'c', 'd']);
  // A name that was found before is looked up again.
  asked.get('c')?.resolve([]);
  await wanted[3];
  await turn();
  void want('a');
  assert.deepEqual(names, ['a', 'b', 'c', 'd', 'a']);
});

test('NameLookUps refuses names beyond its limit, and drops those that nobody wants any more', async () => {
  const { asked, names, want } = openLookUps();
  const stop = new AbortController();
  const { running, waiting } = lookUpLimits;
  for (let count = 0; count < running; count += 1) void want(`slow${count}`);
  // What a stranger can do: names whose resolver does not answer.
  for (let count = 0; count < waiting; count += 1) void want(`random${count}`, stop.signal);
  await assert.rejects(want('node01'), TooManyLookUps);
  stop.abort();
  await turn();
  const found = want('node01');
  asked.get('slow0')?.resolve([]);
  await turn();
  assert.deepEqual(names.slice(running), ['node01']);
  asked.get('node01')?.resolve(['10.0.0.2']);
  assert.deepEqual(await found, ['10.0.0.2']);
});
