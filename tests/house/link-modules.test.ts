// A kind of link that machined can make needs its module in the image.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkModules as imageModules, rootModules } from '../../rootfs/recipe.ts';
import { linkKinds } from '../../services/machined/src/network/domain/link-plan/link-kinds.ts';
import { linkModules } from '../../services/machined/src/network/domain/link-plan/link-modules.ts';

test('each kind of link has a module, and the image has it', () => {
  assert.deepEqual(Object.keys(linkModules).sort(), Object.keys(linkKinds).sort());
  const inImage = new Set([...rootModules, ...imageModules]);
  const missing = Object.values(linkModules).filter(({ name }) => !inImage.has(name));
  assert.deepEqual(missing, []);
});
