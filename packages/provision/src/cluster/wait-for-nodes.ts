import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemTimers, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { SayReason } from '../domain/provisioner.ts';
import { SilenceLimit } from './silence-limit.ts';

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
  /** The absolute path or the command by which users can read the output of the node. */
  readonly log: string;
}

export interface NodeWait {
  readonly nodes: readonly AwaitedNode[];
  readonly probe: NodeProbe;
  /** Resolves to the reason why waiting is pointless, or to `undefined` when the signal is aborted. */
  readonly watch: (signal: AbortSignal) => Promise<Fault | undefined>;
  /**
   * How long nothing may move, in ms: no node answers, none fails in another way than before, and none writes to its log, if that is
   * a file.
   */
  readonly silenceMs: number;
  /** How long it may take in all, in ms. */
  readonly longestMs: number;
  /** Default: those of the host. */
  readonly timers?: Timers;
  readonly signal: AbortSignal;
  /** Receives a node without an answer and why, and how many others have none. */
  readonly say?: SayReason;
}

const pollMs = 25;
const attemptTimeoutMs = 5_000;
/** Failures that count as progress, because they are other ones than before. */
const mostFailures = 100;

/**
 * Waits until every node answers. Resolves to the commits from which their programs were built, in the order
 * of the nodes. Throws a Fault that names the nodes without an answer, and the log of one of them.
 */
export async function waitForNodes(wait: NodeWait): Promise<readonly string[]> {
  const gaveUp = new AbortController();
  const signal = AbortSignal.any([wait.signal, gaveUp.signal]);
  const reasons = new Map<string, string>();
  const { silenceMs, longestMs, timers = systemTimers } = wait;
  const sayMissing = () => {
    const [[name, reason] = ['', ''], ...others] = reasons;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    if (name !== '') wait.say?.(`${name}${more}: ${reason}`);
  };
  // A failure that comes back is no progress.
  const failures = new Set<string>();
  let isSilent = false;
  using limit = new SilenceLimit({
    ...{ timers, silenceMs, longestMs },
    look: () => JSON.stringify([reasons.size, failures.size, wait.nodes.map(({ log }) => writtenBytes(log))]),
    end(reached) {
      isSilent = reached === 'silence';
      gaveUp.abort();
    },
  });
  const hopeless = wait.watch(signal).then((reason) => {
    if (reason !== undefined) gaveUp.abort(reason);
  });
  try {
    return await Promise.all(
      wait.nodes.map(async (node) => {
        const commit = await waitForNode(wait.probe, node, signal, (reason) => {
          reasons.set(node.name, reason);
          sayMissing();
          if (failures.size < mostFailures) failures.add(`${node.name}: ${reason}`);
        });
        reasons.delete(node.name);
        sayMissing();
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
    const silence = isSilent ? `, the last ${silenceMs / 1000}s without progress` : '';
    throw new Fault(
      'deadline-exceeded',
      `no answer from ${names} within ${limit.totalMs / 1000}s${silence}; ${name}: ${reason} (log: ${log})`,
    );
  } finally {
    gaveUp.abort();
    await hopeless;
  }
}

/** The size of a log; 0 for one that is no file yet, and for a command. */
function writtenBytes(log: string): number {
  return isAbsolute(log) ? (statSync(log, { throwIfNoEntry: false })?.size ?? 0) : 0;
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
