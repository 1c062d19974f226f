/** Actions of the released client that end a machine. */
export interface Action {
  /** The command with the option that this check is about, such as `reset --reboot`. */
  readonly name: string;
  readonly command: string;
  readonly words: string;
  /** The state of the node afterwards. */
  readonly leaves: 'running' | 'off' | 'maintenance' | 'off and empty';
  readonly prints: readonly RegExp[];
  /** Whether the node has its configuration and its data afterwards. */
  readonly keepsData: boolean;
}

const met = /events check condition met/;
const checked = /post check passed/;

/** In this order, repeatedly. A node that was reset has no name, so it is given by its address. */
export const actions: readonly Action[] = [
  {
    ...{ name: 'reboot', command: 'reboot', leaves: 'running', keepsData: true },
    words: '-n {worker} reboot --wait',
    prints: [/sequence: reboot action: START/, met, checked],
  },
  {
    ...{ name: 'shutdown', command: 'shutdown', leaves: 'off', keepsData: true },
    words: '-n {worker} shutdown --wait',
    prints: [/sequence: shutdown action: START/, met],
  },
  {
    ...{ name: 'reset --reboot', command: 'reset', leaves: 'maintenance', keepsData: false },
    words: '-n {worker.address} reset --graceful=false --reboot --wait',
    prints: [/sequence: reset action: START/, met, checked],
  },
  {
    ...{ name: 'reset', command: 'reset', leaves: 'off and empty', keepsData: false },
    words: '-n {worker.address} reset --graceful=false --wait',
    prints: [/sequence: reset action: START/, met],
  },
];
