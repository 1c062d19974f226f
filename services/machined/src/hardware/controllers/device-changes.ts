import type { Controller } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { Uevent } from '@nodewright/linux';
import type { DeviceEvents } from '../host/device-events.ts';

/** Opens the events of devices; those who ask again get the same. */
export type OpenDeviceEvents = () => Promise<DeviceEvents>;

/** How often devices are read where this process gets no events of the kernel. */
export const lookAgainMs = 60_000;

/** The events of one subsystem, for one controller. */
export interface DeviceChanges {
  readonly open: NonNullable<Controller['open']>;
  /** After so much time the controller is to look by itself; undefined: it is told. */
  lookAgainMs(): number | undefined;
}

/**
 * Wakes a controller when devices of the subsystem come, go or change. Where the kernel tells this process nothing the
 * controller looks by itself, which is slower and no failure.
 *
 * @param onEvents undefined: events were lost, or have begun just now
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
