import type { BlockDevice, BlockDisk, LinkHardware, PciDevice, Smbios } from '@nodewright/linux';
import type { DeviceEvent, DeviceSource, DeviceSourceState, OnDeviceEvent } from '../host/device-source.ts';

/** The devices of a machine that the test changes. */
export class FakeDeviceSource implements DeviceSource {
  readonly #listeners = new Set<{ readonly subsystem: string; readonly onEvent: OnDeviceEvent }>();
  readonly #stateListeners = new Set<() => void>();
  /** They are known from the start. */
  isKnown = true;
  devices: BlockDevice[] = [];
  disks: BlockDisk[] = [];
  pciDevices: PciDevice[] = [];
  records = new Map<string, ReadonlyMap<string, string>>();
  links = new Map<string, readonly string[]>();
  hardware = new Map<string, LinkHardware>();
  smbios: Smbios = { system: undefined, processors: [], memoryModules: [] };
  #state: DeviceSourceState = { isConnected: true, mode: 'udevd', reason: 'test', problem: '', gaps: 0 };

  block() {
    const { isKnown, devices, disks, records, links } = this;
    return isKnown ? { devices: [...devices], disks: [...disks], records, links } : undefined;
  }

  pci = () => (this.isKnown ? [...this.pciDevices] : undefined);
  linkHardware = () => (this.isKnown ? this.hardware : undefined);
  firmware = () => (this.isKnown ? this.smbios : undefined);
  state = () => this.#state;

  listen(subsystem: string, onEvent: OnDeviceEvent): Disposable {
    const entry = { subsystem, onEvent };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  watchState(onChange: () => void): Disposable {
    this.#stateListeners.add(onChange);
    return { [Symbol.dispose]: () => void this.#stateListeners.delete(onChange) };
  }

  /** Number of listeners. */
  get listeners(): number {
    return this.#listeners.size + this.#stateListeners.size;
  }

  /** Announces a device; without a name, events were missed. */
  tell(subsystem: string, name?: string, isProcessed = false): void {
    const path = `/devices/x/${name}`;
    const event: DeviceEvent | undefined =
      name === undefined ? undefined : { action: 'change', path, subsystem, name, isProcessed };
    for (const listener of [...this.#listeners])
      if (listener.subsystem === subsystem) listener.onEvent(event);
  }

  become(state: Partial<DeviceSourceState>): void {
    this.#state = { ...this.#state, ...state };
    for (const onChange of [...this.#stateListeners]) onChange();
  }
}
