import { loadNativeCalls, type NativeCalls, type Uevent, watchUevents } from '@nodewright/linux';

export interface DeviceListener {
  /** An event of one device of the subsystem; undefined: events were lost, so any device may be affected. */
  readonly onEvents: (event: Uevent | undefined) => void;
  /** Called when the listener receives no more events. */
  readonly onError: (error: unknown) => void;
}

/** The kernel's events of devices that are added, removed or changed. */
export interface DeviceEvents {
  /**
   * Listens until it is disposed of.
   *
   * @throws Fault when the kernel has no such events for this process
   */
  listen(subsystem: string, listener: DeviceListener): Disposable;
}

/** One socket for all listeners, open as long as there is one. */
export class KernelDeviceEvents implements DeviceEvents {
  readonly #calls: NativeCalls;
  readonly #listeners = new Set<DeviceListener & { readonly subsystem: string }>();
  #watch: Disposable | undefined;

  constructor(calls: NativeCalls) {
    this.#calls = calls;
  }

  listen(subsystem: string, { onEvents, onError }: DeviceListener): Disposable {
    this.#watch ??= watchUevents(this.#calls, {
      onEvent: (event) => {
        for (const listener of [...this.#listeners]) {
          if (listener.subsystem === event.subsystem) listener.onEvents(event);
        }
      },
      onLost: () => {
        for (const listener of [...this.#listeners]) listener.onEvents(undefined);
      },
      onError: (error) => {
        this.#close();
        for (const listener of [...this.#listeners]) listener.onError(error);
      },
    });
    const entry = { subsystem, onEvents, onError };
    this.#listeners.add(entry);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(entry);
        if (this.#listeners.size === 0) this.#close();
      },
    };
  }

  #close(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}

/**
 * The device events of this host. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function openKernelDeviceEvents(): Promise<DeviceEvents> {
  return new KernelDeviceEvents(await loadNativeCalls());
}
