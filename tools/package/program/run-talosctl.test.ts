import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runtimeFolder } from './run-talosctl.ts';
import { temporaryFolder } from './testing.ts';

/**
 * What talosctl gets when its caller gets a signal, from a terminal or alone. A script stands in for it, which prints each signal and ends
 * with the first one, a little later.
 */
async function signalsOf(t: TestContext, send: (pid: number) => void): Promise<string> {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, runtimeFolder()), { recursive: true });
  const script = [
    '#!/bin/sh',
    'trap "echo INT; ended=1" INT',
    'trap "echo TERM; ended=1" TERM',
    'echo ready',
    'while [ -z "$ended" ]; do sleep 0.1; done',
    'sleep 1',
    'exit 130',
  ].join('\n');
  writeFileSync(join(folder, runtimeFolder(), 'node'), script, { mode: 0o755 });
  const program = `
    import { abortOnSignals, runTalosctl } from ${JSON.stringify(join(import.meta.dirname, 'run-talosctl.ts'))};
    const init = { folder: process.argv[1], environment: process.env, signal: abortOnSignals() };
    runTalosctl(['cluster', 'create'], init).then((code) => console.log('code', code));`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program, folder], {
    ...{ detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text;
    if (text.includes('ready')) send(child.pid ?? 0);
  }
  return output;
}

test('Ctrl-C reaches talosctl once, because it exits at once when it is interrupted twice', async (t) => {
  // A terminal sends it to the whole group.
  assert.equal(await signalsOf(t, (pid) => process.kill(-pid, 'SIGINT')), 'ready\nINT\ncode 130\n');
});

test('SIGTERM is passed on to talosctl', async (t) => {
  assert.equal(await signalsOf(t, (pid) => process.kill(pid, 'SIGTERM')), 'ready\nTERM\ncode 130\n');
});
