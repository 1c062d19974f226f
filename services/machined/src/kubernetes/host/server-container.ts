import type { HealthResult } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import { nodenames, type StaticPodStatusSpec, staticPodStatuses } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';

type Check = (timeoutMs: number) => Promise<HealthResult>;

/**
 * The container in which the kubelet of this node runs the API server. A kubelet that restarts reports no pods for a while: the
 * container, which goes on meanwhile, is remembered, so that it does not count as another one when it is reported again.
 */
export class ServerContainer {
  readonly #state: State;
  #last: string | undefined;

  constructor(state: State) {
    this.#state = state;
  }

  /** Reads the id of the container, and remembers it. `undefined` while the kubelet reports none. */
  async observe(): Promise<string | undefined> {
    const id = containerOf(await this.#status());
    this.#last = id ?? this.#last;
    return id;
  }

  /** Whether the kubelet reports nothing of the API server, as while it restarts. */
  async isUnreported(): Promise<boolean> {
    return (await this.#status()) === undefined;
  }

  /** Why the API server, which is ready, cannot be replaced now; `undefined` when it can. */
  async obstacle(): Promise<string | undefined> {
    if ((await this.observe()) !== undefined) return undefined;
    return 'the kubelet of this node does not report the container of kube-apiserver, and could not replace it';
  }

  /** Prepares a check that succeeds only while the kubelet reports another container than now, or than it last did. */
  async checkSuccessor(check: Check): Promise<Check> {
    await this.observe();
    const before = this.#last;
    return async (timeoutMs) => {
      const id = await this.observe();
      // The earlier server answers as long as its container runs, whether it is reported or not.
      if (id === undefined)
        return { healthy: false, message: 'the kubelet does not report its container yet' };
      if (id === before) return { healthy: false, message: 'the kubelet has not replaced the container yet' };
      return check(timeoutMs);
    };
  }

  async #status(): Promise<StaticPodStatusSpec | undefined> {
    const name = (await specOf(this.#state, pointerTo(nodenames)))?.nodename;
    return specOf(this.#state, pointerTo(staticPodStatuses, `kube-system/kube-apiserver-${name ?? ''}`));
  }
}

function containerOf(status: StaticPodStatusSpec | undefined): string | undefined {
  const containers = status?.podStatus.containerStatuses;
  const [first] = (Array.isArray(containers) ? containers : []) as readonly { containerID?: string }[];
  // The id of a container that was not created yet is empty.
  return first?.containerID || undefined;
}
