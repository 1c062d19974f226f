import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Controller } from '@nodewright/controllers';
import type { NodeAbilities } from '../base/domain/node-abilities.ts';
import { type OfferName, type OpenedHost, openRows, type TopicRow } from './topic-row.ts';

const hostWith = (abilities: Partial<NodeAbilities>) => ({ abilities }) as unknown as OpenedHost;

/** Opens rows that write down when they are opened and when they end. */
function recorded() {
  const events: string[] = [];
  const row = (
    name: OfferName,
    needs: readonly OfferName[] = [],
    isPresent: TopicRow['isPresent'] = () => true,
  ): TopicRow => ({
    ...{ name, needs, isPresent, kind: 'topic' },
    async open(_host, given, scope) {
      events.push(`open ${name} with ${Object.keys(given).join(', ') || 'nothing'}`);
      scope.defer(() => void events.push(`close ${name}`));
      return { controllers: [], api: {} };
    },
  });
  return { events, row };
}

test('openRows() opens each row after those before it, and they end in reverse order', async () => {
  const { events, row } = recorded();
  {
    await using scope = new AsyncDisposableStack();
    await openRows([row('services'), row('etcd', ['services'])], hostWith({}), scope);
  }
  assert.deepEqual(events, [
    'open services with nothing',
    'open etcd with services',
    'close etcd',
    'close services',
  ]);
});

test('openRows() leaves out a row for which the node lacks the ability, and opens those that can do without', async () => {
  const { events, row } = recorded();
  await using scope = new AsyncDisposableStack();
  const rows = [row('kubelet', [], ({ runsKubelet }) => runsKubelet), row('life', ['kubelet'])];
  const offered = await openRows(rows, hostWith({ runsKubelet: false }), scope);
  assert.deepEqual(Object.keys(offered), ['life']);
  assert.deepEqual(events, ['open life with nothing']);
});

test('openRows() names a row that stands before one that it needs, and opens nothing', async () => {
  const { events, row } = recorded();
  await using scope = new AsyncDisposableStack();
  await assert.rejects(openRows([row('life', ['network']), row('network')], hostWith({}), scope), {
    message: 'the list of topics is not in order: life needs network',
  });
  assert.deepEqual(events, []);
});

test('openRows() runs the controllers of an early topic, and opens the next row when what it waits for is there', async () => {
  const { events, row } = recorded();
  const controller = { name: 'test.FirstController' } as Controller;
  const register = ({ name }: Controller) => void events.push(`run ${name}`);
  const host = { ...hostWith({}), controllers: { register } } as unknown as OpenedHost;
  await using scope = new AsyncDisposableStack();
  const early: TopicRow = {
    ...row('volumes'),
    open: async () => ({ controllers: [controller], api: {} }),
    async started() {
      await setImmediate();
      events.push('volumes are there');
    },
  };
  await openRows([early, row('config', ['volumes'])], host, scope);
  assert.deepEqual(events, ['run test.FirstController', 'volumes are there', 'open config with volumes']);
});
