import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ConvertedText, loadConfiguration } from '@nodewright/machine-config';
import { noTelemetry } from '@nodewright/telemetry';
import type { CliEnvironment } from '../context/command-module.ts';
import { DifferenceFound } from '../context/failure.ts';
import { writeConversions } from './convert-configurations.ts';
import { writeProofs } from './write-proofs.ts';

const patch = 'machine: { type: worker, sysctls: { net.a: "1" }, disks: [{ device: /dev/sdb }] }\n';

/** A conversion, of which `becomes` replaces the configuration that it gives. */
function conversionOf(name: string, becomes?: string) {
  const before = loadConfiguration(patch);
  const after = becomes === undefined ? before : loadConfiguration(becomes);
  const note = { kind: 'kept', key: 'machine.disks', text: 'it has no counterpart' } as const;
  const result: ConvertedText = { text: 'converted\n', before, after, notes: [note] };
  return { source: { name, fileName: name, text: patch }, result };
}

/** An environment whose output ends up in a text. */
function recorder(cwd: string) {
  const shown = { stdout: '', stderr: '' };
  const env: CliEnvironment = {
    stdout: { write: (text: string | Uint8Array) => (shown.stdout += text) },
    stderr: { write: (text: string | Uint8Array) => (shown.stderr += text) },
    stdin: process.stdin,
    environment: {},
    cwd,
    now: () => new Date('2026-01-02T03:04:05Z'),
    signal: new AbortController().signal,
    isInteractive: false,
    telemetry: async () => noTelemetry,
  };
  return { shown, env };
}

test('a comparison that finds a change without a cause names it, and ends with a difference', async () => {
  const { shown, env } = recorder(tmpdir());
  const wrong = [conversionOf('a.yaml'), conversionOf('b.yaml', patch.replace('"1"', '"secret"'))];
  await assert.rejects(writeProofs(env, wrong, { isJson: false, isRun: false }), DifferenceFound);
  assert.match(shown.stdout, /^b\.yaml: DIFFERENT: setting sysctls\.net\.a is different/m);
  assert.match(shown.stdout, /^a\.yaml: every difference has a named cause$/m);
  assert.equal(shown.stdout.includes('secret'), false);
  await writeProofs(env, wrong.slice(0, 1), { isJson: true, isRun: false });
});

test('a change that the conversion does not name ends the command before the first file is written', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'convert-'));
  try {
    const { shown, env } = recorder(cwd);
    const wrong = [conversionOf('a.yaml'), conversionOf('b.yaml', patch.replace('"1"', '"secret"'))];
    const options = { paths: ['out/a.yaml', 'out/b.yaml'], force: false, isPatch: false };
    const unnamed = (error: Error) =>
      /nothing is written.*b\.yaml: .*net\.a.* would be changed$/.test(error.message) &&
      !error.message.includes('secret');
    await assert.rejects(writeConversions(env, wrong, options), unnamed);
    assert.equal(existsSync(join(cwd, 'out')), false);
    // The notes are there, for the report.
    assert.match(shown.stderr, /^NOTE: a\.yaml: machine\.disks stays: .*\nNOTE: b\.yaml: /);
    await assert.rejects(writeConversions(env, wrong.slice(1), { ...options, paths: undefined }), {
      kind: 'internal',
    });
    assert.equal(shown.stdout, '');

    await writeConversions(env, [conversionOf('a.yaml')], { ...options, paths: ['out/a.yaml'] });
    assert.equal(await readFile(join(cwd, 'out/a.yaml'), 'utf8'), 'converted\n');
  } finally {
    await rm(cwd, { recursive: true });
  }
});
