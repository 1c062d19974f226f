import { Fault, faultFrom } from '@nodewright/fault';
import type { Progress } from '../domain/provisioner.ts';
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
    await progress.step(`etcd bootstrapped on ${first.name}`, () => bootstrap(first, probe, inTime, signal));
  }
  const deadline = AbortSignal.timeout(timeoutMs ?? voteTimeoutMs(controlPlanes.length));
  await waitTogether(controlPlanes, signal, (node, wanted) =>
    progress.step(`${node.name} votes in etcd`, () => awaitVote(node, probe, deadline, wanted)),
  );
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
  const hasVote = async (attempt: AbortSignal) => {
    const members = await probe.members(endpoint, attempt);
    return members.some(({ hosts, isVoter }) => isVoter && hosts.includes(address));
  };
  const isOver = await attempts(signal, deadline, hasVote, 'it has not joined yet');
  if (isOver.done) return;
  throw new Fault(
    'deadline-exceeded',
    `${name} has no vote in etcd: ${isOver.reason} (see: talosctl -n ${address} service etcd)`,
  );
}
