import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { tellMissingVotes } from './tell-missing-votes.ts';

function openCreation() {
  const notes: string[] = [];
  const stop = new AbortController();
  const progress = {
    step: <T>(_: string, body: (say: (reason: string) => void) => Promise<T>) => body(() => {}),
    note: (text: string) => void notes.push(text),
  };
  return { notes, stop, creation: { progress, signal: stop.signal } };
}

test('tellMissingVotes() notes a missing vote after a short wait, and does not fail', async () => {
  const { notes, creation } = openCreation();
  const timeouts: number[] = [];
  await tellMissingVotes(creation, async (timeoutMs) => {
    timeouts.push(timeoutMs);
    throw new Fault('deadline-exceeded', 'node02 has no vote in etcd');
  });
  assert.deepEqual([notes, timeouts], [['node02 has no vote in etcd'], [20_000]]);
});

test('tellMissingVotes() fails when it is aborted', async () => {
  const { notes, stop, creation } = openCreation();
  stop.abort();
  const form = () => Promise.reject(new Fault('cancelled', 'cancelled'));
  await assert.rejects(tellMissingVotes(creation, form), { name: 'AbortError' });
  assert.deepEqual(notes, []);
});
