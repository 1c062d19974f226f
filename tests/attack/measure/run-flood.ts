import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/median.ts';
import type { Flood } from '../floods/flood.ts';
import type { AttackTarget } from '../target/attack-target.ts';
import type { BystanderReport, BystanderWindow, FloodCounts, FloodReport } from './child-messages.ts';
import { type Child, openChild } from './open-child.ts';

export interface FloodInit {
  readonly target: AttackTarget;
  readonly bystander: Child;
  readonly rounds: number;
  readonly durationMs: number;
  readonly signal: AbortSignal;
}

/** The figures of one attack, and of the burner that used the same processor time. */
export interface FloodRound {
  readonly counts: FloodCounts;
  /** Processor time of the attacker, in milliseconds. */
  readonly cpuMs: number;
  readonly attacked: BystanderWindow;
  readonly burned: BystanderWindow;
  /** p99 of the other client during the attack divided by its p99 during the burner. */
  readonly ratio: number;
}

export interface FloodResult {
  readonly flood: Flood;
  readonly rounds: readonly FloodRound[];
  readonly medianRatio: number;
}

const pauseMs = 1000;
const recoveryMs = 3000;

/**
 * Runs rounds of an attack, each followed by a burner with the same use of processor time and no connections.
 */
export async function runFlood(flood: Flood, init: FloodInit): Promise<FloodResult> {
  const rounds: FloodRound[] = [];
  for (let round = 0; round < init.rounds; round += 1) {
    init.signal.throwIfAborted();
    rounds.push(await runRound(flood, init));
  }
  return { flood, rounds, medianRatio: median(rounds.map(({ ratio }) => ratio)) };
}

async function runRound(flood: Flood, init: FloodInit): Promise<FloodRound> {
  const { target, bystander, durationMs, signal } = init;
  await using attacker = openChild('flooder.ts');
  // Wait until its modules are loaded; that is not part of the attack.
  await sleep(pauseMs, undefined, { signal });
  const report = attacker.receive<FloodReport>();
  report.catch(() => {});
  attacker.send({ flood: flood.name, target, durationMs });
  const attacked = await watchWindow(bystander, durationMs, signal);
  const outcome = await Promise.race([
    report,
    sleep(20_000, { failure: 'it did not end in time' }, { ref: false }),
  ]);
  if ('failure' in outcome) throw new Error(`${flood.name}: ${outcome.failure}`);
  const { counts, cpuMs } = outcome;
  // Let the effects of the attack end, so that they do not slow the comparison.
  await sleep(recoveryMs, undefined, { signal });

  await using burner = openChild('burner.ts');
  await sleep(pauseMs, undefined, { signal });
  burner.send({ cpuMs });
  const burned = await watchWindow(bystander, durationMs, signal);
  const totalMs = cpuMs.reduce((sum, each) => sum + each, 0);
  return { counts, cpuMs: totalMs, attacked, burned, ratio: attacked.p99 / burned.p99 };
}

/** Measures the other client for a while. */
async function watchWindow(
  bystander: Child,
  durationMs: number,
  signal: AbortSignal,
): Promise<BystanderWindow> {
  bystander.send({ kind: 'begin' });
  await sleep(durationMs, undefined, { signal });
  const next = bystander.receive<BystanderReport>();
  bystander.send({ kind: 'end' });
  const report = await next;
  if (report.kind !== 'window') throw new Error(`the client beside the attack says "${report.kind}"`);
  return report.window;
}
