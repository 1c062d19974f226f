import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceUsers } from '@nodewright/contract';
import { worlds } from '../../base/domain/world.ts';
import { type NodeLayout, nodeFolders, nodeLayout } from '../../base/node-layout.ts';
import { daemonFolders } from './daemon-folders.ts';

const root = { uid: 0, groups: [0] };
const neighbour = {
  uid: 52,
  groups: [52, serviceUsers.apid, serviceUsers.trustd, serviceUsers.registryd, serviceUsers['udevd-bridge']],
};

const foldersOf = (layout: NodeLayout) =>
  [...nodeFolders(layout), ...daemonFolders(layout, 'trustd')].map(({ path, mode, owner }) => [
    path,
    mode.toString(8),
    owner && `${owner.uid}:${owner.gid}`,
  ]);

test('a daemon with a user of its own reaches its folders, and other users do not', () => {
  assert.deepEqual(foldersOf(nodeLayout('/', worlds.machine, root)), [
    ['/system/run', '751', undefined],
    ['/system/run/machined', '771', '50:50'],
    ['/run/machined', '771', '50:50'],
    ['/system/run/trustd', '700', '51:51'],
    ['/run/trustd', '700', '51:51'],
  ]);
  for (const runsDaemons of [true, false]) {
    const folders = foldersOf(nodeLayout('/n', { ...worlds.process, runsDaemons }, root));
    assert.deepEqual(
      folders.map(([, mode, owner]) => [mode, owner]),
      Array.from({ length: 5 }, () => ['700', undefined]),
    );
  }
});

test('a daemon in another container reaches the folders by its group and cannot write to them', () => {
  assert.deepEqual(foldersOf(nodeLayout('/', worlds.stack, neighbour)), [
    ['/system/run', '751', undefined],
    ['/system/run/machined', '750', '52:50'],
    ['/run/machined', '750', '52:50'],
    ['/system/run/trustd', '750', '52:51'],
    ['/run/trustd', '750', '52:51'],
  ]);
});
