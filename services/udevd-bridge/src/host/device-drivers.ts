import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { DeviceEvent } from '../domain/device-event.ts';
import { deviceLimits } from '../domain/limits.ts';
import { modaliasOf } from '../domain/modalias-of.ts';
import type { LoadModules } from './modules.ts';

export interface DeviceDriversInit {
  readonly load: LoadModules;
  /** The modaliases of all devices, for when events were lost. */
  readonly all: () => readonly string[];
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Loads the drivers of devices as they appear, as udev's rule `80-drivers` does with a library that the image lacks. A module that the init
 * has loaded already is not in the root file system, and so not found here.
 */
export class DeviceDrivers {
  readonly #init: DeviceDriversInit;
  readonly #seen = new Set<string>();
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #lastProblem = '';
  #loads = 0;

  constructor(init: DeviceDriversInit) {
    this.#init = init;
  }

  /** How often modules were loaded, or some of those of a device. */
  get loads(): number {
    return this.#loads;
  }

  /** Resolves when nothing of what was added before is left to load. It never rejects. */
  idle(): Promise<void> {
    return this.#last;
  }

  onEvent(event: DeviceEvent): void {
    const modalias = modaliasOf(event);
    if (modalias !== undefined) this.#add(modalias);
  }

  /** Events were lost, so all devices are looked at. */
  onLost(): void {
    for (const modalias of this.#init.all()) this.#add(modalias);
  }

  /** Devices with one modalias have one driver. Somebody who plugs in ever new ones takes no more memory than the limits allow. */
  #add(modalias: string): void {
    if (this.#seen.has(modalias) || this.#waiting >= deviceLimits.waitingDrivers) return;
    if (this.#seen.size >= deviceLimits.knownModaliases) this.#seen.clear();
    this.#seen.add(modalias);
    this.#waiting += 1;
    this.#last = this.#last.then(() => this.#load(modalias));
  }

  async #load(modalias: string): Promise<void> {
    const { load, log } = this.#init;
    try {
      const names = await load({ modalias });
      this.#loads += 1;
      log.info({ modalias, modules: names }, 'loaded the driver of a device');
    } catch (error) {
      const { kind, message } = faultFrom(error);
      if (kind === 'failed-precondition') this.#loads += 1;
      // Most devices of a machine need no module of the image. Without signatures every one of them fails with the same message.
      if (kind !== 'not-found' && message !== this.#lastProblem) {
        this.#lastProblem = message;
        log.warn({ modalias, error: message }, 'the driver of a device cannot be loaded');
      }
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** The modaliases of the devices on all buses, each once. A device that is removed meanwhile is left out. */
export function readModaliases(sysRoot: string): string[] {
  const found = new Set<string>();
  const buses = `${sysRoot}/bus`;
  for (const bus of existsSync(buses) ? readdirSync(buses) : [])
    for (const device of namesIn(`${buses}/${bus}/devices`)) {
      const modalias = textOf(`${buses}/${bus}/devices/${device}/modalias`);
      if (modalias !== '' && modalias.length <= deviceLimits.modaliasLength) found.add(modalias);
    }
  return [...found];
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
