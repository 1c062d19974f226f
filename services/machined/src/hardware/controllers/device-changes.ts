import type { Controller } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { Uevent } from '@nodewright/linux';
import type { DeviceEvents } from '../host/device-events.ts';

/** Opens the device events; later calls return the same object. */
export type OpenDeviceEvents = () => Promise<DeviceEvents>;

/** How often devices are read when this process receives no kernel events. */
export const lookAgainMs = 60_000;

/** Watches the events of one subsystem for one controller. */
export interface DeviceChanges {
  readonly open: NonNullable<Controller['open']>;
  /** The controller reads again after this time; undefined when events wake it. */
  lookAgainMs(): number | undefined;
}

/**
 * Wakes a controller when devices of the subsystem are added, removed or changed. If the kernel sends no
 * events to this process, the controller polls, which is slower and no failure.
 *
 * @param onEvents undefined: events were lost, or the watch has just begun
 */
export function deviceChanges(
  events: OpenDeviceEvents,
  subsystem: string,
  onEvents: (event: Uevent | undefined) => void = () => {},
): DeviceChanges {
  let isTold = false;
  return {
    async open(source, scope) {
      isTold = false;
      try {
        const listener = {
          onEvents: (event: Uevent | undefined) => {
            onEvents(event);
            source.wake();
          },
          onError: (error: unknown) => source.fail(error),
        };
        scope.use((await events()).listen(subsystem, listener));
        isTold = true;
      } catch (error) {
        const facts = { subsystem, error: faultFrom(error).message };
        source.log.info(facts, 'no events of devices: they are looked at now and then');
      }
      onEvents(undefined);
    },
    lookAgainMs: () => (isTold ? undefined : lookAgainMs),
  };
}
