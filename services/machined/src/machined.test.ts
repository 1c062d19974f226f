import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeExitCodes } from '@nodewright/contract';
import { dependentsBudgetMs } from '@nodewright/services';
import { containersLimitMs, daemonGraceMs, preemptionTimeoutMs } from './base/domain/stop-budgets.ts';
import { createMachined } from './machined.ts';

const machined = createMachined();
type Options = Parameters<NonNullable<typeof machined.signalledExitCode>>[0];
const optionsOf = (mode: string, services = 'child') => ({ mode, services }) as unknown as Options;

test('a machine is off after its power button and restarts after Ctrl-Alt-Del, also when it does not stop in time', () => {
  for (const hasClosed of [true, false]) {
    assert.equal(machined.signalledExitCode?.(optionsOf('metal'), 'SIGTERM', hasClosed), 0);
    assert.equal(machined.signalledExitCode?.(optionsOf('metal'), 'SIGINT', hasClosed), nodeExitCodes.reboot);
  }
});

test('a node of processes or of containers that does not stop in time has failed', () => {
  for (const options of [optionsOf('process'), optionsOf('container'), optionsOf('container', 'external')]) {
    assert.notEqual(machined.signalledExitCode?.(options, 'SIGTERM', true), undefined);
    assert.equal(machined.signalledExitCode?.(options, 'SIGTERM', false), undefined);
  }
});

test('a machine may take longer to stop than all parts of its stop together, and other nodes no longer than their supervisors wait', () => {
  const { drainTimeoutMs } = machined;
  assert.ok(typeof drainTimeoutMs === 'function');
  const partsMs = preemptionTimeoutMs + dependentsBudgetMs + containersLimitMs + 2 * daemonGraceMs;
  assert.ok(drainTimeoutMs(optionsOf('metal')) > partsMs);
  // The supervisor of processes waits 27 s, a container engine 30 s.
  for (const options of [optionsOf('process'), optionsOf('container'), optionsOf('container', 'external')])
    assert.equal(drainTimeoutMs(options), 25_000);
});
