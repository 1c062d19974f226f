import { Fault, faultFrom } from '@nodewright/fault';
import type { Progress, SayReason } from '../domain/provisioner.ts';
import { attempts } from './attempts.ts';
import type { EtcdProbe } from './etcd-probe.ts';
import { waitTogether } from './wait-together.ts';

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
    await progress.step(`etcd bootstrapped on ${first.name}`, (say) =>
      bootstrap({ node: first, probe, deadline: inTime, signal, say }),
    );
  }
  const deadline = AbortSignal.timeout(timeoutMs ?? voteTimeoutMs(controlPlanes.length));
  await waitTogether(controlPlanes, signal, (node, wanted) =>
    progress.step(`${node.name} votes in etcd`, (say) =>
      awaitVote({ node, probe, deadline, signal: wanted, say }),
    ),
  );
}

interface NodeWork {
  readonly node: EtcdNode;
  readonly probe: EtcdProbe;
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
  readonly say: SayReason;
}

async function bootstrap({ node, probe, deadline, signal, say }: NodeWork): Promise<void> {
  const { name, endpoint } = node;
  const ask = async (attempt: AbortSignal) => {
    try {
      await probe.bootstrap(endpoint, attempt);
    } catch (error) {
      // An earlier creation bootstrapped etcd before it was interrupted.
      if (faultFrom(error).kind !== 'already-exists') throw error;
    }
    return true;
  };
  const isOver = await attempts(signal, deadline, ask, undefined, say);
  if (isOver.done) return;
  throw new Fault('deadline-exceeded', `etcd cannot be bootstrapped on ${name}: ${isOver.reason}`);
}

async function awaitVote({ node, probe, deadline, signal, say }: NodeWork): Promise<void> {
  const { name, address, endpoint } = node;
  const hasVote = async (attempt: AbortSignal) => {
    try {
      const members = await probe.members(endpoint, attempt);
      return members.some(({ hosts, isVoter }) => isVoter && hosts.includes(address));
    } catch (error) {
      // An etcd that cannot run, as on a full disk, does not answer: its history says why.
      const trouble = await probe.trouble(endpoint, attempt).catch(() => undefined);
      throw trouble === undefined ? error : new Fault('unavailable', `its etcd has ended: ${trouble}`);
    }
  };
  const isOver = await attempts(signal, deadline, hasVote, 'it has not joined yet', say);
  if (isOver.done) return;
  throw new Fault(
    'deadline-exceeded',
    `${name} has no vote in etcd: ${isOver.reason} (see: talosctl -n ${address} service etcd)`,
  );
}
