import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LocateTalosconfigInit, locateTalosconfig } from './locate-talosconfig.ts';

function locate(init: Partial<LocateTalosconfigInit> & { existing?: readonly string[] }): string {
  const { existing = [], ...rest } = init;
  const { path, writable } = locateTalosconfig({
    environment: {},
    cwd: '/elsewhere',
    home: '/home/me',
    exists: (candidate) => existing.includes(candidate),
    ...rest,
  });
  return writable ? path : `${path} (read-only)`;
}

test('locateTalosconfig() returns the first existing file, in the documented order', () => {
  const mounted = '/var/run/secrets/talos.dev/config';
  const environment = { TALOSCONFIG: '/env', TALOS_HOME: '/talos' };
  const all = ['/env', '/talos/config', '/home/me/.talos/config', mounted];
  const rows: [Parameters<typeof locate>[0], string][] = [
    [{ flag: 'mine', environment, existing: all }, '/elsewhere/mine'],
    [{ environment, existing: all }, '/env'],
    [{ environment, existing: ['/talos/config', mounted] }, '/talos/config'],
    [{ existing: ['/home/me/.talos/config', mounted] }, '/home/me/.talos/config'],
    [{ environment, existing: [mounted] }, `${mounted} (read-only)`],
    [{ environment: { TALOS_HOME: 'relative' }, existing: all }, '/home/me/.talos/config'],
    [{ flag: '', existing: all }, '/home/me/.talos/config'],
  ];
  for (const [init, expected] of rows) assert.equal(locate(init), expected);
});

test('locateTalosconfig() returns the first writable location when no file exists', () => {
  const rows: [Parameters<typeof locate>[0], string][] = [
    [{ environment: { TALOSCONFIG: 'env', TALOS_HOME: '/talos' } }, '/elsewhere/env'],
    [{ environment: { TALOS_HOME: '/talos' } }, '/talos/config'],
    [{}, '/home/me/.talos/config'],
  ];
  for (const [init, expected] of rows) assert.equal(locate(init), expected);
});
