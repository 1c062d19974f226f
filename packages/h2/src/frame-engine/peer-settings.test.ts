import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingIds } from './frame-types.ts';
import { PeerSettings } from './peer-settings.ts';

function readPush(value: number, isServer: boolean): void {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(settingIds.enablePush);
  bytes.writeUInt32BE(value, 2);
  new PeerSettings().read(bytes, 0, bytes.length, isServer);
}

test('a client may allow pushes to a server, and a server may not allow them to a client', () => {
  for (const value of [0, 1]) readPush(value, true);
  readPush(0, false);
  for (const [value, isServer] of [
    [1, false],
    [2, false],
    [2, true],
  ] as const)
    assert.throws(() => readPush(value, isServer), /ENABLE_PUSH has an invalid value/);
});
