import type { VirtualAddressId } from '../domain/virtual-address.ts';
import { ChangeListener } from './change-listener.ts';
import { VirtualAddress, type VirtualAddressInit } from './virtual-address.ts';

export type VirtualAddressesInit = Omit<VirtualAddressInit, 'ip' | 'linkName' | 'onChange'>;

/** A virtual address that the configuration names, with the reason why this node must not have it now. */
export interface WantedAddress extends VirtualAddressId {
  readonly obstacle: string | undefined;
}

/** The virtual addresses for which this node competes. When it is disposed of it gives them up, for ever. */
export class VirtualAddresses implements AsyncDisposable {
  readonly #init: VirtualAddressesInit;
  readonly #running = new Map<string, { readonly id: VirtualAddressId; readonly address: VirtualAddress }>();
  readonly #listener = new ChangeListener();
  #isEnding = false;

  constructor(init: VirtualAddressesInit) {
    this.#init = init;
  }

  /** Calls `onChange` when this node took or released an address. There is one listener at a time. */
  watch(onChange: () => void): Disposable {
    return this.#listener.watch(onChange);
  }

  /** Competes for exactly those of these addresses that have no obstacle, and gives up the others. */
  adopt(wanted: readonly WantedAddress[]): void {
    const byKey = new Map(wanted.map((each) => [keyOf(each), each]));
    for (const key of this.#running.keys()) {
      const each = byKey.get(key);
      if (each === undefined) void this.#stop(key, 'the configuration does not name it any more');
      else if (each.obstacle !== undefined) void this.#stop(key, each.obstacle);
    }
    if (this.#isEnding) return;
    for (const [key, { ip, linkName, obstacle }] of byKey) {
      // One that still stops is started by the pass that its end causes.
      if (obstacle !== undefined || this.#running.has(key)) continue;
      const id = { ip, linkName };
      const onChange = () => this.#listener.changed();
      this.#running.set(key, { id, address: new VirtualAddress({ ...this.#init, ...id, onChange }) });
    }
  }

  /** Those that this node has now. */
  owned(): VirtualAddressId[] {
    return [...this.#running.values()].flatMap(({ id, address }) => (address.isOwned ? [id] : []));
  }

  async #stop(key: string, reason: string): Promise<void> {
    const stopped = this.#running.get(key);
    await stopped?.address.stop(reason);
    // Several passes may wait for the same end, and the first one makes room for a successor.
    if (stopped === undefined || this.#running.get(key) !== stopped) return;
    this.#running.delete(key);
    this.#listener.changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#running.keys()].map((key) => this.#stop(key, 'this node ends')));
  }
}

const keyOf = ({ ip, linkName }: VirtualAddressId) => `${linkName}/${ip}`;
