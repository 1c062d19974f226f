// Programs that drive a talosctl read its version by the words of the released client.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { talosctlBundle } from '../cluster/run-talosctl.ts';
import { clientProgram } from './run-client.ts';

/** The output with the release replaced, which differs. */
async function versionOf(program: string, before: readonly string[], words: readonly string[]) {
  const { stdout } = await promisify(execFile)(program, [...before, 'version', ...words]);
  return stdout.replace(/v1\.\d+\.\d+/, 'RELEASE');
}

test('version --client --short prints what the released client prints', async () => {
  const words = ['--client', '--short'];
  const ours = await versionOf(process.execPath, [talosctlBundle], words);
  assert.equal(ours, await versionOf(clientProgram, [], words));
});
