import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type ActionProgress, cutActions } from './cut-actions.ts';
import { followWriteLog } from './follow-write-log.ts';
import type { CutFacts } from './judge-finding.ts';
import type { Cut, CutKind } from './plan-cuts.ts';
import { type BaseName, startOn, type TestCluster } from './test-cluster.ts';

/** The disk with which a machine starts, by what it does when the power fails. */
export const baseOf: Readonly<Record<CutKind, BaseName>> = {
  'first-boot': 'new',
  'first-configuration': 'fresh',
  'new-configuration': 'configured',
  reset: 'configured',
  'extension-set': 'extended',
};

/** What a machine has before: its configuration, or for sets of extensions the number of the active one. */
const before: Readonly<Record<CutKind, number>> = {
  ...{ 'first-boot': 0, 'first-configuration': 0, 'new-configuration': 1, reset: 1, 'extension-set': 0 },
};
const hasConfiguration = (kind: CutKind) => kind !== 'first-boot' && kind !== 'first-configuration';
const pollMs = 1;
/** Without a request to the disk for this long, the action is over. */
const quietMs = 5000;
const timeoutMs = 600_000;

export interface RecordedCut {
  readonly facts: CutFacts;
  /** The entry of the log before whose completion the power failed, counting from 1; undefined after all of them. */
  readonly cutBefore: number | undefined;
}

/**
 * Starts a machine, has it do what the cut is about, and kills the emulator when the drawn number of requests was recorded.
 * The power counts as cut before the last of them was complete.
 *
 * @param disk is overwritten
 * @param log is overwritten with what the machine has requested of its disk
 */
export async function recordCut(
  cut: Cut,
  cluster: TestCluster,
  disk: string,
  log: string,
): Promise<RecordedCut> {
  // Knows where the file has holes, and therefore does not read three gigabytes of zeros.
  execFileSync('cp', ['--sparse=always', cluster.bases[baseOf[cut.kind]], disk]);
  writeFileSync(log, '');
  const first = before[cut.kind];
  const { rootHashes, root } = cluster.sets;
  const progress: ActionProgress = {
    ...{ kind: cut.kind, before: first, acknowledged: first, sent: first, isReset: false },
    digests: hasConfiguration(cut.kind) ? { 1: cluster.configuration(1).digest } : {},
    ...(cut.kind === 'extension-set' && { sets: { rootHashes, root } }),
  };
  await using machine = await startOn(disk, log);
  const action = cutActions[cut.kind];
  await action.awaitReady(machine, cluster);
  using follower = followWriteLog(log);
  const begin = cut.kind === 'first-boot' ? 0 : follower.count();
  const end = begin + cut.requests;
  const stop = new AbortController();
  let failure: unknown;
  const acting = action.act(machine, cluster, progress, stop.signal).catch((error: unknown) => {
    failure = error;
  });
  const activity = { count: begin, at: Date.now() };
  // What was acknowledged when the last request was not recorded yet: only this must be on the disk without it.
  let { acknowledged } = progress;
  let isOver = false;
  for (let count = begin; count < end && !isOver; count = follower.count()) {
    acknowledged = progress.acknowledged;
    if (failure !== undefined) throw failure;
    if (count > activity.count) Object.assign(activity, { count, at: Date.now() });
    const quiet = Date.now() - activity.at;
    isOver = quiet > quietMs && action.isOver(machine, progress);
    if (quiet > timeoutMs)
      throw new Error(`${cut.name}: the machine does nothing\n${machine.console().slice(-4000)}`);
    await pause(pollMs);
  }
  stop.abort();
  const facts = { ...progress, acknowledged, isReset: isOver && cut.kind === 'reset' };
  await machine[Symbol.asyncDispose]();
  await acting;
  return { facts, cutBefore: isOver ? undefined : end };
}
