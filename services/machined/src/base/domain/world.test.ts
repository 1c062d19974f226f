import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeExitCodes } from '@nodewright/contract';
import { worldOf, worlds } from './world.ts';

test('worldOf() returns the world for a mode and a source of services', () => {
  assert.equal(worldOf('process', 'child').name, 'process');
  assert.equal(worldOf('container', 'external'), worlds.stack);
  assert.equal(worldOf('container', 'child'), worlds.container);
  assert.equal(worldOf('metal', 'child').name, 'machine');
});

test('a container that a keeper starts keeps META and its slots, and is a container otherwise', () => {
  const kept = worldOf('container', 'child', true);
  assert.equal(kept.rebootExitCode, nodeExitCodes.chosenSystem);
  assert.deepEqual(
    { ...kept, hasSlotFolder: false, keepsMeta: false, rebootExitCode: nodeExitCodes.reboot },
    worlds.container,
  );
  assert.equal(worldOf('container', 'external', true), worlds.stack);
});

test('worldOf() sets runsDaemons from the source of services in every mode', () => {
  for (const mode of ['process', 'container', 'metal'] as const) {
    assert.equal(worldOf(mode, 'child').runsDaemons, true);
    assert.equal(worldOf(mode, 'external').runsDaemons, false);
  }
});

test('each world is in the table under its own name', () => {
  for (const [name, world] of Object.entries(worlds)) assert.equal(world.name, name);
});

test('only a machine owns disks', () => {
  const owners = Object.values(worlds).filter(({ ownsDisks }) => ownsDisks);
  assert.deepEqual(
    owners.map(({ name }) => name),
    ['machine'],
  );
});

test('only a machine runs udevd', () => {
  const all = Object.values(worlds).filter(({ runsUdevd }) => runsUdevd);
  assert.deepEqual(
    all.map(({ name }) => name),
    ['machine'],
  );
});

test('processes and stacks report the platform metal, and a single container reports container', () => {
  const platforms = Object.values(worlds).map(({ name, platform }) => `${name}: ${platform}`);
  assert.deepEqual(platforms, ['process: metal', 'stack: metal', 'container: container', 'machine: metal']);
});

test('Ctrl-Alt-Del restarts a machine, and SIGTERM switches it off', () => {
  const { signalledExitCode, interruptedExitCode, offExitCode } = worlds.machine;
  assert.deepEqual([signalledExitCode, interruptedExitCode], [offExitCode, nodeExitCodes.reboot]);
});
