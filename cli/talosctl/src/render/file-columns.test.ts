import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatFileMode } from './file-mode.ts';
import { formatFileTime } from './file-time.ts';

test('formatFileMode() prints modes as Go does', () => {
  const rows: [number, string][] = [
    [0o644, '-rw-r--r--'],
    [2 ** 31 + 0o755, 'drwxr-xr-x'],
    [2 ** 31 + 2 ** 20 + 0o777, 'dtrwxrwxrwx'],
    [2 ** 27 + 0o777, 'Lrwxrwxrwx'],
    [2 ** 26 + 2 ** 21 + 0o620, 'Dcrw--w----'],
    [2 ** 26 + 0o660, 'Drw-rw----'],
    [2 ** 25 + 0o600, 'prw-------'],
    [2 ** 24 + 0o755, 'Srwxr-xr-x'],
    [2 ** 23 + 2 ** 22 + 0o711, 'ugrwx--x--x'],
    [2 ** 19, '?---------'],
    [0, '----------'],
  ];
  for (const [mode, text] of rows) assert.equal(formatFileMode(mode), text);
});

test('formatFileMode() ends with nine letters of permissions for any number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (mode) => {
      const text = formatFileMode(mode);
      const permissions = [...text.slice(-9)].map((letter) => (letter === '-' ? 0 : 1)).join('');
      assert.equal(Number.parseInt(permissions, 2), mode % 512);
      assert.match(text, /^([dalTLDpSugct?]+|-)[r-][w-][x-][r-][w-][x-][r-][w-][x-]$/);
    }),
  );
});

test('formatFileTime() shows seconds for recent times and the year for older ones', () => {
  const time = new Date(2026, 1, 3, 4, 5, 6);
  const after = (days: number) => new Date(time.getTime() + days * 86_400_000);
  assert.equal(formatFileTime(BigInt(time.getTime() / 1000), after(179)), 'Feb  3 04:05:06');
  assert.equal(formatFileTime(BigInt(time.getTime() / 1000), after(-1000)), 'Feb  3 04:05:06');
  assert.equal(formatFileTime(BigInt(time.getTime() / 1000), after(180)), 'Feb  3 2026 04:05');
});
