import type { Controller } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { Uevent } from '@nodewright/linux';
import type { DeviceNews } from '../host/device-news.ts';

/** Opens the news of devices; those who ask again get the same. */
export type OpenDeviceNews = () => Promise<DeviceNews>;

/** How often is looked where there is no news. */
export const lookAgainMs = 60_000;

/** News of one subsystem, for one controller. */
export interface DeviceChanges {
  readonly open: NonNullable<Controller['open']>;
  /** After so much time the controller is to look by itself; undefined: it is told. */
  lookAgainMs(): number | undefined;
}

/**
 * Wakes a controller when devices of the subsystem come, go or change. Where the kernel tells this process nothing the
 * controller looks by itself, which is slower and no failure.
 *
 * @param onNews undefined: news were lost, or have begun just now
 */
export function deviceChanges(
  news: OpenDeviceNews,
  subsystem: string,
  onNews: (event: Uevent | undefined) => void = () => {},
): DeviceChanges {
  let isTold = false;
  return {
    async open(source, scope) {
      isTold = false;
      try {
        const listener = {
          onNews: (event: Uevent | undefined) => {
            onNews(event);
            source.wake();
          },
          onError: (error: unknown) => source.fail(error),
        };
        scope.use((await news()).listen(subsystem, listener));
        isTold = true;
      } catch (error) {
        const facts = { subsystem, error: faultFrom(error).message };
        source.log.info(facts, 'no news of devices: they are looked at now and then');
      }
      onNews(undefined);
    },
    lookAgainMs: () => (isTold ? undefined : lookAgainMs),
  };
}
