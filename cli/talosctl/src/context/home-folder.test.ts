import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { locateKubeconfig } from '../kubeconfig/kubeconfig-place.ts';
import { talosconfigLocation } from '../nodes/talosconfig-of.ts';
import { findHomeFolder, homeFolder } from './home-folder.ts';

test('findHomeFolder() takes HOME, or that of the account when HOME is empty, relative or not set', () => {
  assert.equal(findHomeFolder({ HOME: '/home/me' }), '/home/me');
  for (const environment of [{ HOME: '' }, { HOME: 'me' }, {}])
    assert.equal(findHomeFolder(environment), userInfo().homedir);
});

test('with an empty HOME no file of credentials is in the working folder', async () => {
  const { homedir } = userInfo();
  const env = { environment: { HOME: '' }, cwd: '/work' };
  assert.equal(await locateKubeconfig(env, undefined, true), join(homedir, '.kube', 'config'));
  const { path } = talosconfigLocation(env, {});
  assert.ok(!path.startsWith('/work'), path);
});

test('homeFolder() fails for a user without an account', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, () => {
  const before = process.geteuid?.() ?? 0;
  process.seteuid?.(54_321);
  try {
    assert.throws(() => homeFolder({}), { kind: 'failed-precondition', message: /set HOME/ });
  } finally {
    process.seteuid?.(before);
  }
});
