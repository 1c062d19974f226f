import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { type DecodedConfiguration, decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { ConfigurationTrial } from './configuration-trial.ts';

const configuration = (token: string) =>
  decodeConfiguration(`version: v1alpha1\nmachine: { type: worker, token: ${token} }\n`);
const dayMs = 86_400_000;

test('a trial of two days ends after two days, however the clock is set meanwhile', async () => {
  for (const stepMs of [-365 * dayMs, 365 * dayMs]) {
    const [before, tried] = [configuration('a'), configuration('b')];
    let active: DecodedConfiguration | undefined = before;
    const timers = new FakeTimers();
    const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
    const keeper = {
      active: () => active,
      async activate(next: DecodedConfiguration | undefined) {
        active = next;
      },
    };
    using trial = new ConfigurationTrial(keeper, timers, log);
    await trial.start(tried, BigInt(2 * dayMs) * 1_000_000n);
    timers.stepClock(stepMs);
    const advance = (ms: number) => {
      const untilMs = timers.now() + ms;
      while (timers.step(untilMs));
    };
    advance(2 * dayMs - 1);
    assert.equal(active, tried);
    advance(1);
    assert.equal(active, before);
  }
});
