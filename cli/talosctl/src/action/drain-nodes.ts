import { pauseBy, type Timers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import type { KubeNodes } from '@nodewright/client/kube-nodes';
import { Fault, faultFrom } from '@nodewright/fault';

/** What happens to the Kubernetes node of a machine before and after an action. */
export interface NodeDrain {
  /**
   * Cordons the node and evicts its pods.
   *
   * @throws Fault when the machine would refuse the action or Kubernetes has no such node, before anything is changed; when not all
   * pods leave in time, and then the node is schedulable again
   */
  before(node: NodeClient, report: (text: string) => void): Promise<void>;
  /** Waits until the node is Ready, and uncordons it if `before()` cordoned it. */
  after(node: NodeClient, report: (text: string) => void): Promise<void>;
  /** Uncordons the node, as far as that is possible, because its action has failed. */
  giveUp(node: NodeClient, report: (text: string) => void): Promise<void>;
}

export interface DrainNodesInit {
  /** The API of Kubernetes. It is opened for the first node. */
  readonly open: () => Promise<Pick<KubeNodes, 'read' | 'change' | 'podsOn' | 'evict'>>;
  /** Name of a machine in Kubernetes. */
  readonly nameOf: (node: NodeClient) => Promise<string>;
  /** Why the machine would refuse the action; `undefined` when it would not. */
  readonly refusalOf: (node: NodeClient) => Promise<string | undefined>;
  readonly timeoutMs: number;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

const pollMs = 2_000;

/** Source: Talos v1.14: reboot, drain. */
export function drainNodes(init: DrainNodesInit): NodeDrain {
  const { nameOf, refusalOf, timeoutMs, timers, signal } = init;
  let opening: ReturnType<DrainNodesInit['open']> | undefined;
  const open = () => {
    opening ??= init.open();
    return opening;
  };
  /** The names in Kubernetes of the nodes that are cordoned because of this action. */
  const cordoned = new Map<NodeClient, string>();

  async function uncordon(node: NodeClient, report: (text: string) => void): Promise<void> {
    const name = cordoned.get(node);
    if (name === undefined) return;
    await (await open()).change(name, { spec: { unschedulable: null } });
    cordoned.delete(node);
    report('uncordoned');
  }

  return {
    async before(node, report) {
      const refusal = await refusalOf(node);
      if (refusal !== undefined) throw new Fault('failed-precondition', refusal);
      const { drainNode } = await import('@nodewright/client/kube-nodes');
      const nodes = await open();
      const name = await nameOf(node);
      const found = await nodes.read(name);
      if (found === undefined)
        throw new Fault(
          'failed-precondition',
          `Kubernetes has no node "${name}" to drain: leave out --drain`,
        );
      // A node that a user has cordoned stays so.
      if (found.spec?.unschedulable !== true) {
        await nodes.change(name, { spec: { unschedulable: true } });
        cordoned.set(node, name);
        report('cordoned');
      }
      try {
        await drainNode({ node: name, nodes, timeoutMs, timers, signal, report });
        report('drained');
      } catch (error) {
        await uncordon(node, report).catch(() => {});
        throw error;
      }
    },
    giveUp: (node, report) => uncordon(node, report).catch(() => {}),
    async after(node, report) {
      const name = cordoned.get(node);
      if (name === undefined) return;
      const { isReady } = await import('@nodewright/client/kube-nodes');
      report('waiting for the Kubernetes node to be Ready');
      for (;;) {
        try {
          const found = await (await open()).read(name);
          if (found !== undefined && isReady(found)) return await uncordon(node, report);
        } catch (error) {
          // The API server may be on the node that has just started.
          if (!['unavailable', 'deadline-exceeded', 'aborted'].includes(faultFrom(error).kind)) throw error;
        }
        await pauseBy(timers, pollMs, signal);
        signal.throwIfAborted();
      }
    },
  };
}
