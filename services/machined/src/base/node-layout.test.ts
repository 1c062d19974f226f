import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceUsers } from '@nodewright/contract';
import { worlds } from './domain/world.ts';
import { type NodeLayout, nodeLayout } from './node-layout.ts';

const root = { uid: 0, groups: [0] };
const user = { uid: 1000, groups: [1000] };
const neighbour = {
  uid: 52,
  groups: [52, serviceUsers.apid, serviceUsers.trustd, serviceUsers.registryd, serviceUsers['udevd-bridge']],
};

const modesOf = ({ socketDirectoryMode, socketMode, daemonFolderMode }: NodeLayout) =>
  [socketDirectoryMode, socketMode, daemonFolderMode].map((mode) => mode?.toString(8));

test('nodeLayout() gives apid and trustd their own users only where root runs a whole machine', () => {
  const facts = (...args: Parameters<typeof nodeLayout>) => {
    const layout = nodeLayout(...args);
    return [layout.paths.machinedSocket, ...modesOf(layout), layout.users];
  };
  const own = ['/n/run/machined/machined.sock', '700', undefined, '700', undefined];
  assert.deepEqual(facts('/n', worlds.process, root), own);
  assert.deepEqual(facts('/n/', worlds.process, user), own);
  assert.deepEqual(facts('/n', worlds.process, neighbour), own);
  assert.deepEqual(facts('/n', worlds.container, neighbour), own);
  assert.deepEqual(facts('/', worlds.machine, root), [
    '/run/machined/machined.sock',
    ...['771', undefined, '700'],
    {
      ...{ apid: { uid: 50, gid: 50 }, trustd: { uid: 51, gid: 51 }, registryd: { uid: 53, gid: 53 } },
      'udevd-bridge': { uid: 0, gid: 0 },
    },
  ]);
});

test('nodeLayout() shares sockets through the groups of apid and trustd when machined is not root', () => {
  const layout = nodeLayout('/', worlds.stack, neighbour);
  assert.deepEqual(modesOf(layout), ['750', '660', '750']);
  assert.deepEqual(layout.users, {
    ...{ apid: { uid: 52, gid: 50 }, trustd: { uid: 52, gid: 51 }, registryd: { uid: 52, gid: 53 } },
    'udevd-bridge': { uid: 54, gid: 54 },
  });
});

test('nodeLayout() fails and names the groups that machined is not in', () => {
  assert.throws(() => nodeLayout('/', worlds.stack, { uid: 52, groups: [52, 50] }), {
    kind: 'failed-precondition',
    message:
      'user 52 is not in the groups of the daemons that share sockets with machined: add it to 51 and 53 and 54',
  });
  assert.throws(() => nodeLayout('/', worlds.stack, user), { message: /add it to 50 and 51 and 53 and 54$/ });
});
