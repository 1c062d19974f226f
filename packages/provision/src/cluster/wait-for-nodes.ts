import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';

/** Calls `version` on nodes, as a client does. */
export interface NodeProbe extends AsyncDisposable {
  /**
   * Resolves to the commit from which the node's programs were built. The apid at `endpoint` answers the call
   * itself, or forwards it to `node` if it is given. Throws when the call fails.
   */
  version(endpoint: string, node: string | undefined, signal: AbortSignal): Promise<string>;
}

/** A node to wait for, and how to reach it. */
export interface AwaitedNode {
  readonly name: string;
  /** The address by which calls name the node: a machine configuration may have changed its host name. */
  readonly address: string;
  /** The address of an apid that accepts calls for the node: a host, or `host:port`. */
  readonly endpoint: string;
  /** Whether that apid is the node's own. */
  readonly isDirect: boolean;
  /** The address of the node's own apid, if this host can connect to it. */
  readonly listener: { readonly host: string; readonly port: number } | undefined;
  /** The path or command by which users can read the output of the node. */
  readonly log: string;
}

export interface NodeWait {
  readonly nodes: readonly AwaitedNode[];
  readonly probe: NodeProbe;
  /** Resolves to the reason why waiting is pointless, or to `undefined` when the signal is aborted. */
  readonly watch: (signal: AbortSignal) => Promise<Fault | undefined>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const pollMs = 25;
const attemptTimeoutMs = 5_000;

/**
 * Waits until every node answers. Resolves to the commits from which their programs were built, in the order
 * of the nodes. Throws a Fault that names the nodes without an answer, and the log of one of them.
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
  report: (reason: string) => void,
): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    // Try a bare TCP connection first: after a failed connection, a client would back off for seconds.
    if (listener === undefined || (await accepts(listener))) {
      try {
        const attempt = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]);
        return await probe.version(endpoint, isDirect ? undefined : address, attempt);
      } catch (error) {
        report(faultFrom(error).message);
      }
    } else {
      report(`nothing listens on ${listener.host}:${listener.port}`);
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
    // On a bridge network, a connection to an unused address is not refused: it gets no answer.
    socket.setTimeout(attemptTimeoutMs, () => finish(false));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
