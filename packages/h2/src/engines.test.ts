import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEngineName, engineNamed, engineNames } from './engines.ts';
import { nodeEngine } from './node-engine/node-engine.ts';

test('engineNamed() returns the engine of each name, and refuses other names', () => {
  assert.equal(engineNamed('node'), nodeEngine);
  assert.ok(engineNames.includes(defaultEngineName));
  for (const name of engineNames) assert.ok(engineNamed(name).name.length > 0);
  assert.throws(() => engineNamed('constructor'), /no HTTP\/2 engine "constructor", only node, frames/);
});
