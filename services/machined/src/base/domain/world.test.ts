import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worldOf, worlds } from './world.ts';

test('worldOf() knows the world by what machined runs in and who runs the daemons', () => {
  assert.equal(worldOf('process', 'child').name, 'process');
  assert.equal(worldOf('container', 'external'), worlds.stack);
  assert.equal(worldOf('container', 'child'), worlds.container);
  assert.equal(worldOf('metal', 'child').name, 'machine');
});

test('worldOf() believes who runs the daemons in every world', () => {
  for (const mode of ['process', 'container', 'metal'] as const) {
    assert.equal(worldOf(mode, 'child').runsDaemons, true);
    assert.equal(worldOf(mode, 'external').runsDaemons, false);
  }
});

test('every world is in the table under its own name', () => {
  for (const [name, world] of Object.entries(worlds)) assert.equal(world.name, name);
});

test('users take processes and stacks for machines, and a single container for what it is', () => {
  const platforms = Object.values(worlds).map(({ name, platform }) => `${name}: ${platform}`);
  assert.deepEqual(platforms, ['process: metal', 'stack: metal', 'container: container', 'machine: metal']);
});
