import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';

/** Asks nodes for their version as a client does. */
export interface NodeProbe extends AsyncDisposable {
  /**
   * The commit that the node's programs were built from, as they say it. Throws when the apid at `endpoint` does not
   * answer, for itself or, when it is given, for `node`.
   */
  version(endpoint: string, node: string | undefined, signal: AbortSignal): Promise<string>;
}

/** A node that is waited for, and the way to it. */
export interface AwaitedNode {
  readonly name: string;
  /** By which it is asked for: a machine configuration may have given it another name since. */
  readonly address: string;
  /** Where an apid takes calls for it: a host, or `host:port`. */
  readonly endpoint: string;
  /** Whether that apid is its own. */
  readonly isDirect: boolean;
  /** Where its own apid listens, if this host reaches it. */
  readonly listener: { readonly host: string; readonly port: number } | undefined;
  /** Where people find what it says. */
  readonly log: string;
}

export interface NodeWait {
  readonly nodes: readonly AwaitedNode[];
  readonly probe: NodeProbe;
  /** Resolves to why waiting is of no use, or to undefined when the signal is aborted. */
  readonly watch: (signal: AbortSignal) => Promise<Fault | undefined>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const pollMs = 25;
const attemptTimeoutMs = 5_000;

/**
 * Resolves when every node answers, to the commits that their programs were built from, in the order of the nodes.
 * Throws a Fault that names the nodes that do not, and the logs that say why.
 */
export async function waitForNodes(wait: NodeWait): Promise<readonly string[]> {
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([wait.signal, gaveUp.signal]);
  const timer = setTimeout(() => gaveUp.abort(), wait.timeoutMs);
  const reasons = new Map<string, string>();
  const hopeless = wait.watch(signal).then((reason) => {
    if (reason !== undefined) gaveUp.abort(reason);
  });
  try {
    return await Promise.all(
      wait.nodes.map(async (node) => {
        const commit = await waitForNode(wait.probe, node, signal, (reason) =>
          reasons.set(node.name, reason),
        );
        reasons.delete(node.name);
        return commit;
      }),
    );
  } catch (error) {
    wait.signal.throwIfAborted();
    if (gaveUp.signal.reason instanceof Fault) throw gaveUp.signal.reason;
    if (!gaveUp.signal.aborted) throw error;
    const [[name, reason] = ['a node', 'no answer']] = reasons;
    const names = [...reasons.keys()].join(', ');
    const log = wait.nodes.find((node) => node.name === name)?.log ?? 'none';
    throw new Fault(
      'deadline-exceeded',
      `no answer from ${names} within ${wait.timeoutMs / 1000}s; ${name}: ${reason} (log: ${log})`,
    );
  } finally {
    clearTimeout(timer);
    gaveUp.abort();
    await hopeless;
  }
}

async function waitForNode(
  probe: NodeProbe,
  { address, endpoint, isDirect, listener }: AwaitedNode,
  signal: AbortSignal,
  tell: (reason: string) => void,
): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    // A bare connection costs nothing while nobody listens; a client would back off for seconds.
    if (listener === undefined || (await accepts(listener))) {
      try {
        const attempt = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]);
        return await probe.version(endpoint, isDirect ? undefined : address, attempt);
      } catch (error) {
        tell(faultFrom(error).message);
      }
    } else {
      tell(`nothing listens on ${listener.host}:${listener.port}`);
    }
    await sleep(pollMs, undefined, { signal });
  }
}

function accepts(listener: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(listener);
    const finish = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    // On a bridge nobody says no for an address that nobody has yet.
    socket.setTimeout(attemptTimeoutMs, () => finish(false));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
