import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CliEnvironment } from '../context/command-module.ts';
import { nameOutcome } from './name-outcome.ts';

test('nameOutcome() says what is left of a cluster whose change was interrupted', async () => {
  const state = mkdtempSync(join(tmpdir(), 'clusters-'));
  try {
    const env = { environment: {}, cwd: '/', signal: AbortSignal.abort() } as unknown as CliEnvironment;
    const interrupted = () =>
      nameOutcome(env, { name: 'one', state }, async () => {
        throw new Error('interrupted');
      });
    await assert.rejects(interrupted(), { message: /^cluster "one" is removed, with all/ });
    // What made it could not remove it, and no state says any more what it is.
    mkdirSync(join(state, 'one'));
    await assert.rejects(interrupted(), {
      message: /^cluster "one" is not removed as a whole: .*"interrupted"/,
    });
    writeFileSync(join(state, 'one/state.yaml'), 'provisionername: process\n');
    await assert.rejects(interrupted(), { message: /^cluster "one" is left as it is/ });
  } finally {
    rmSync(state, { recursive: true });
  }
});
