import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Progress } from '../provisioner.ts';
import type { EtcdProbe } from './etcd-probe.ts';

export interface EtcdNode {
  readonly name: string;
  readonly address: string;
  /** The address at which its apid accepts calls. */
  readonly endpoint: string;
}

export interface FormEtcdInit {
  /** The first one is bootstrapped. */
  readonly controlPlanes: readonly EtcdNode[];
  /** Whether no control plane has etcd data, which means that etcd was never bootstrapped. */
  readonly isNew: boolean;
  readonly probe: EtcdProbe;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Limits the bootstrap, and then the wait for votes; the defaults allow for a slow machine. */
  readonly timeoutMs?: number | undefined;
}

const pollMs = 150;
const attemptTimeoutMs = 5000;
/** A node that answers is not ready to bootstrap until its clock has been checked. */
const bootstrapTimeoutMs = 60_000;
/** The members join one after the other, with a delay between them. */
const voteTimeoutMs = (nodes: number) => 60_000 + nodes * 30_000;

/**
 * Bootstraps etcd if it is new, and resolves when every control plane is a voting member. Throws a Fault that
 * names a control plane without a vote, and a command that shows the reason.
 */
export async function formEtcd({
  controlPlanes,
  isNew,
  probe,
  progress,
  signal,
  timeoutMs,
}: FormEtcdInit): Promise<void> {
  const [first] = controlPlanes;
  if (first === undefined) return;
  if (isNew) {
    const inTime = AbortSignal.timeout(timeoutMs ?? bootstrapTimeoutMs);
    await progress.step(`etcd bootstrapped on ${first.name}`, () => bootstrap(first, probe, inTime, signal));
  }
  const deadline = AbortSignal.timeout(timeoutMs ?? voteTimeoutMs(controlPlanes.length));
  // When one wait fails, abort the others: they would keep the process alive.
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
      // An earlier creation bootstrapped etcd before it was interrupted.
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

/** Retries until `ask` returns true or the deadline passes. Throws failures that a retry cannot resolve. */
async function attempts(
  signal: AbortSignal,
  deadline: AbortSignal,
  ask: (signal: AbortSignal) => Promise<boolean>,
): Promise<Outcome> {
  let reason = 'it has not joined yet';
  while (!deadline.aborted) {
    signal.throwIfAborted();
    try {
      const attempt = AbortSignal.any([signal, deadline, AbortSignal.timeout(attemptTimeoutMs)]);
      if (await ask(attempt)) return { done: true };
    } catch (error) {
      const fault = faultFrom(error);
      if (hopeless.has(fault.kind) && !signal.aborted) throw fault;
      // The error of an attempt that the deadline aborts says nothing: keep the one before it.
      if (!deadline.aborted) reason = fault.message;
    }
    await sleep(pollMs, undefined, { signal });
  }
  return { done: false, reason };
}

/** The kinds of failures that a retry cannot resolve. */
const hopeless: ReadonlySet<string> = new Set([
  'unimplemented',
  'invalid-argument',
  'permission-denied',
  'unauthenticated',
]);
