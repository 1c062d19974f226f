import type { NodeClient } from '@nodewright/client';
import { actionName, type PlannedAction } from '@nodewright/client/what-if';
import { faultFrom } from '@nodewright/fault';
import { MeetingPoint } from '../../action/meeting-point.ts';
import { type MachineAction, rebootAction, resetAction, shutdownAction } from '../../action/node-actions.ts';
import { callService } from '../../action/service-actions.ts';
import { trackNode } from '../../action/track-node.ts';
import { plainError } from '../../render/plain-error.ts';
import type { ActionState, PageAction } from '../protocol/calls.ts';
import { callEtcd, etcdActionName } from './etcd-actions.ts';

type NodeState = ActionState['nodes'][number];

/** Older ones are no longer shown. */
const mostShown = 20;
/** Source: Talos v1.14: lifecycle commands, default timeout of the tracking. */
const trackMs = 1_800_000;
const actorText = 'actor ID: ';

/** The actions that pages have started. They belong to the program, and continue when the page is closed. */
export class StartedActions implements Disposable {
  readonly #now: () => Date;
  readonly #onChange: (actions: readonly ActionState[]) => void;
  readonly #stop = new AbortController();
  #actions: ActionState[] = [];
  #count = 0;

  constructor(now: () => Date, onChange: (actions: readonly ActionState[]) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  /** The newest first. */
  get all(): readonly ActionState[] {
    return this.#actions;
  }

  /** Starts an action that the user has confirmed on all nodes at the same time, and follows it to its end. */
  start(action: PageAction, nodes: readonly NodeClient[]): void {
    this.#count += 1;
    const id = this.#count;
    const started: ActionState = {
      ...{ id, name: action.kind === 'etcd' ? etcdActionName(action) : actionName(action) },
      startedMs: this.#now().getTime(),
      nodes: nodes.map(({ name }) => ({ node: name, state: 'running', message: 'asked' })),
    };
    this.#actions = [started, ...this.#actions].slice(0, mostShown);
    this.#onChange(this.#actions);
    // Calls to one node may pass through another, so no action starts before all nodes are prepared.
    const meeting = new MeetingPoint(nodes.length);
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(trackMs)]);
    for (const node of nodes) {
      const { arrive, leave } = meeting.place();
      const step = (change: Partial<NodeState>) => this.#step(id, node.name, change);
      run({ action, node, signal, onReady: arrive, step }).then(
        (message) => step({ state: 'done', message }),
        (error) => {
          leave();
          step({ state: 'failed', message: plainError(faultFrom(error).message) });
        },
      );
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  #step(id: number, node: string, change: Partial<NodeState>): void {
    if (this.#stop.signal.aborted) return;
    this.#actions = this.#actions.map((action) => {
      if (action.id !== id) return action;
      const nodes = action.nodes.map((each) => (each.node === node ? { ...each, ...change } : each));
      return { ...action, nodes };
    });
    this.#onChange(this.#actions);
  }
}

interface RunInit {
  readonly action: PageAction;
  readonly node: NodeClient;
  readonly signal: AbortSignal;
  readonly onReady: () => Promise<void>;
  readonly step: (change: Partial<NodeState>) => void;
}

/** @returns the last step */
async function run({ action, node, signal, onReady, step }: RunInit): Promise<string> {
  if (action.kind === 'etcd' || action.kind === 'service') {
    await onReady();
    return action.kind === 'etcd'
      ? callEtcd(node, action, signal)
      : (await callService(node, action.id, action.verb, signal)).resp;
  }
  await trackNode({
    ...{ node, signal, onReady, action: machineAction(action).action },
    onProgress(message) {
      const actor = message.startsWith(actorText) ? message.slice(actorText.length) : undefined;
      step({ message, ...(actor !== undefined && { actor }) });
    },
  });
  return 'done';
}

function machineAction(action: Exclude<PlannedAction, { kind: 'service' | 'upgrade' }>): MachineAction {
  switch (action.kind) {
    case 'reboot':
      return rebootAction(action.mode);
    case 'shutdown':
      return shutdownAction(false);
    case 'reset':
      return resetAction({
        ...{ graceful: action.isGraceful, reboot: action.reboots, userDisks: action.userDisks },
        wipeMode: action.wiped === 'nothing' ? 'user-disks' : 'all',
        labels: typeof action.wiped === 'string' ? [] : action.wiped,
      });
  }
}
