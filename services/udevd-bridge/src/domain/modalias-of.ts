import type { DeviceEvent } from './device-event.ts';
import { deviceLimits } from './limits.ts';

const key = '\0MODALIAS=';

/** What the driver of a new device is found by; undefined for other events, and for a device without one or with one that is too long. */
export function modaliasOf({ source, action, properties }: DeviceEvent): string | undefined {
  if (source !== 'kernel' || action !== 'add') return undefined;
  // The properties follow each other, each with a NUL byte behind it.
  const text = `\0${properties.toString('latin1')}`;
  const at = text.indexOf(key);
  if (at < 0) return undefined;
  const value = text.slice(at + key.length, text.indexOf('\0', at + key.length));
  return /^[\x21-\x7e]+$/.test(value) && value.length <= deviceLimits.modaliasLength ? value : undefined;
}
