import type { PlannedAction } from '@nodewright/client/what-if';

export type ServiceVerb = 'restart' | 'stop' | 'start';

/** What lies over the lower part of the screen and takes the keys. */
export type Overlay =
  | { readonly kind: 'help'; readonly scroll: number }
  | { readonly kind: 'menu'; readonly at: number }
  | { readonly kind: 'services'; readonly verb: ServiceVerb; readonly at: number }
  | {
      readonly kind: 'question';
      /** The node as it was selected: the question stays about this one. */
      readonly node: string;
      readonly planned: PlannedAction;
      /** The effect; undefined while the nodes are asked. */
      readonly lines?: readonly string[];
    };

/** An entry of the menu of actions. */
export type MenuEntry =
  | { readonly key: string; readonly text: string; readonly planned: PlannedAction }
  | { readonly key: string; readonly text: string; readonly verb: ServiceVerb };

export const menuEntries: readonly MenuEntry[] = [
  { key: 'r', text: 'reboot', planned: { kind: 'reboot', mode: 'default' } },
  { key: 's', text: 'shut down', planned: { kind: 'shutdown' } },
  { key: 'e', text: 'restart a service …', verb: 'restart' },
  { key: 'o', text: 'stop a service …', verb: 'stop' },
  { key: 't', text: 'start a service …', verb: 'start' },
];

/** An action that the user has confirmed. */
export interface StartedAction {
  /** Tells it from earlier ones on the same node. */
  readonly serial: number;
  readonly planned: PlannedAction;
  readonly state: 'running' | 'failed' | 'done';
  /** The last step. */
  readonly message: string;
  /** When the step was reported; undefined before the first one. */
  readonly atMs?: number;
}
