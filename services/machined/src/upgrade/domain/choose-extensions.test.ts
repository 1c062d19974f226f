import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseExtensions } from './choose-extensions.ts';

test('chooseExtensions() refuses to lose extensions, names them, and takes a given set', () => {
  const keep = { extensionSet: undefined, dropsExtensions: false };
  assert.equal(chooseExtensions(keep, undefined), undefined);
  assert.equal(chooseExtensions({ ...keep, extensionSet: '/f' }, ['zfs']), '/f');
  assert.equal(chooseExtensions({ ...keep, extensionSet: '/f' }, undefined), '/f');
  assert.equal(chooseExtensions({ ...keep, dropsExtensions: true }, ['zfs']), undefined);
  const refused = (message: RegExp) => ({ kind: 'failed-precondition', message });
  assert.throws(
    () => chooseExtensions(keep, ['zfs', 'qemu-guest-agent']),
    refused(/\(zfs, qemu-guest-agent\)/),
  );
  assert.throws(() => chooseExtensions(keep, []), refused(/of a set that cannot be read/));
  assert.throws(
    () => chooseExtensions({ extensionSet: '/f', dropsExtensions: true }, []),
    refused(/choose one/),
  );
});
