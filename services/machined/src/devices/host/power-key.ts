import { faultFrom } from '@nodewright/fault';
import { keyCodes, type NativeCalls, watchKeys } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

export interface PowerKeyInit {
  readonly calls: Pick<NativeCalls, 'watchReadable'>;
  readonly onPress: () => void;
  readonly log: Pick<Logger, 'warn'>;
  /** Default: that of the kernel. */
  readonly folder?: string;
}

/** Watches the power button of a machine, which is a key of one of its input devices. A device that cannot be watched is logged. */
export function watchPowerKey({ calls, onPress, log, ...place }: PowerKeyInit): Disposable {
  return watchKeys({
    ...{ watchReadable: calls.watchReadable, ...place },
    onPress(code) {
      if (code === keyCodes.power) onPress();
    },
    onSkip: (device, error) =>
      log.warn({ device, error: faultFrom(error).message }, 'the keys of an input device are not watched'),
  });
}
