import { loadNativeCalls, type NativeCalls, type Uevent, watchUevents } from '@nodewright/linux';

export interface DeviceListener {
  /** Events of one device of the subsystem; undefined: events were lost, so that it may have been any. */
  readonly onEvents: (event: Uevent | undefined) => void;
  /** No listener gets events any more. */
  readonly onError: (error: unknown) => void;
}

/** What the kernel says of devices that come, go and change. */
export interface DeviceEvents {
  /**
   * Until it is disposed.
   *
   * @throws Fault where the kernel has no such events for this process
   */
  listen(subsystem: string, listener: DeviceListener): Disposable;
}

/** One socket for all listeners, which is open as long as there is one. */
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
 * The events of this host. The add-on for system calls is loaded for it.
 *
 * @throws Fault `failed-precondition` when it cannot be loaded
 */
export async function openKernelDeviceEvents(): Promise<DeviceEvents> {
  return new KernelDeviceEvents(await loadNativeCalls());
}
