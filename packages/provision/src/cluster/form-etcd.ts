import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Progress } from '../provisioner.ts';
import type { EtcdProbe } from './etcd-probe.ts';

export interface EtcdNode {
  readonly name: string;
  readonly address: string;
  /** Where its apid takes calls. */
  readonly endpoint: string;
}

export interface FormEtcdInit {
  /** The first one is bootstrapped. */
  readonly controlPlanes: readonly EtcdNode[];
  /** No control plane has data of etcd: the cluster was never bootstrapped. */
  readonly isNew: boolean;
  readonly probe: EtcdProbe;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** How long each of the two may take; default is what a slow machine takes. */
  readonly patienceMs?: number;
}

const pollMs = 150;
const attemptTimeoutMs = 5000;
/** A node that answers is a moment from being ready for it: its clock is to be checked first. */
const bootstrapTimeoutMs = 60_000;
/** They are taken in one after the other, each a pause after the one before. */
const voteTimeoutMs = (nodes: number) => 60_000 + nodes * 30_000;

/**
 * Bootstraps etcd where it is new, and resolves when every control plane has a vote. Throws a Fault that says which one
 * has none, and where to look.
 */
export async function formEtcd({
  controlPlanes,
  isNew,
  probe,
  progress,
  signal,
  patienceMs,
}: FormEtcdInit): Promise<void> {
  const [first] = controlPlanes;
  if (first === undefined) return;
  if (isNew) {
    const inTime = AbortSignal.timeout(patienceMs ?? bootstrapTimeoutMs);
    await progress.step(`etcd bootstrapped on ${first.name}`, () => bootstrap(first, probe, inTime, signal));
  }
  const deadline = AbortSignal.timeout(patienceMs ?? voteTimeoutMs(controlPlanes.length));
  // Nobody goes on asking, and keeps the program alive, once it is known that one of them fails.
  const failed = new AbortController();
  const wanted = AbortSignal.any([signal, failed.signal]);
  const votes = controlPlanes.map((node) =>
    progress.step(`${node.name} votes in etcd`, () => awaitVote(node, probe, deadline, wanted)),
  );
  try {
    await Promise.all(votes);
  } finally {
    failed.abort();
    await Promise.allSettled(votes);
  }
}

async function bootstrap(
  { name, endpoint }: EtcdNode,
  probe: EtcdProbe,
  deadline: AbortSignal,
  signal: AbortSignal,
): Promise<void> {
  const isOver = await attempts(signal, deadline, async (attempt) => {
    try {
      await probe.bootstrap(endpoint, attempt);
    } catch (error) {
      // A creation that was interrupted had come so far.
      if (faultFrom(error).kind !== 'already-exists') throw error;
    }
    return true;
  });
  if (isOver.done) return;
  throw new Fault('deadline-exceeded', `etcd cannot be bootstrapped on ${name}: ${isOver.reason}`);
}

async function awaitVote(
  { name, address, endpoint }: EtcdNode,
  probe: EtcdProbe,
  deadline: AbortSignal,
  signal: AbortSignal,
): Promise<void> {
  const isOver = await attempts(signal, deadline, async (attempt) => {
    const members = await probe.members(endpoint, attempt);
    return members.some(({ hosts, isVoter }) => isVoter && hosts.includes(address));
  });
  if (isOver.done) return;
  throw new Fault(
    'deadline-exceeded',
    `${name} has no vote in etcd: ${isOver.reason} (see: talosctl -n ${address} service etcd)`,
  );
}

type Outcome = { readonly done: true } | { readonly done: false; readonly reason: string };

/** Asks until the answer is yes, or time is up. Failures other than of a node that is not there yet are thrown. */
async function attempts(
  signal: AbortSignal,
  deadline: AbortSignal,
  ask: (signal: AbortSignal) => Promise<boolean>,
): Promise<Outcome> {
  let reason = 'it has not been taken in yet';
  while (!deadline.aborted) {
    signal.throwIfAborted();
    try {
      const attempt = AbortSignal.any([signal, deadline, AbortSignal.timeout(attemptTimeoutMs)]);
      if (await ask(attempt)) return { done: true };
    } catch (error) {
      const fault = faultFrom(error);
      if (hopeless.has(fault.kind) && !signal.aborted) throw fault;
      // That time is up tells less than what it was like before.
      if (!deadline.aborted) reason = fault.message;
    }
    await sleep(pollMs, undefined, { signal });
  }
  return { done: false, reason };
}

/** What does not go away by waiting. */
const hopeless: ReadonlySet<string> = new Set([
  'unimplemented',
  'invalid-argument',
  'permission-denied',
  'unauthenticated',
]);
