import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ifReadable } from './if-readable.ts';
import type { NativeCalls } from './native-calls.ts';

/** Codes of keys. Source: Linux, input event codes. */
export const keyCodes = { power: 116 } as const;

// struct input_event on 64-bit machines: the time of two words, then type, code and value.
const eventBytes = 24;
const typeAt = 16;
const keyEvent = 1;
const pressed = 1;
const bufferEvents = 64;

export interface WatchKeysInit extends Pick<NativeCalls, 'watchReadable'> {
  /** Called with the code of each key that is pressed. */
  readonly onPress: (code: number) => void;
  /** Called for each device that cannot be opened or watched, such as one whose driver is gone. */
  readonly onSkip: (path: string, error: unknown) => void;
  /** The folder of the devices; default `/dev/input`. */
  readonly folder?: string;
}

/**
 * Watches the keys of all input devices of this machine, such as its power button. Devices that appear later are not
 * watched. A device that fails is closed, and none keeps the others from being watched.
 */
export function watchKeys({ folder = '/dev/input', ...init }: WatchKeysInit): Disposable {
  const devices = (ifReadable(() => readdirSync(folder)) ?? [])
    .filter((name) => /^event\d+$/.test(name))
    .flatMap((name) => watchUnlessBroken(init, join(folder, name)));
  return {
    [Symbol.dispose]() {
      for (const device of devices) device[Symbol.dispose]();
    },
  };
}

type WatchDeviceInit = Omit<WatchKeysInit, 'folder'>;

function watchUnlessBroken(init: WatchDeviceInit, path: string): Disposable[] {
  try {
    return [watchDevice(init, path)];
  } catch (error) {
    init.onSkip(path, error);
    return [];
  }
}

function watchDevice({ watchReadable, onPress }: WatchDeviceInit, path: string): Disposable {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(eventBytes * bufferEvents);
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    watch[Symbol.dispose]();
    closeSync(descriptor);
  };
  const onReadable = () => {
    try {
      const bytes = readSync(descriptor, buffer);
      if (bytes === 0) close();
      for (const code of pressedKeys(buffer.subarray(0, bytes))) onPress(code);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') close();
    }
  };
  let watch: Disposable;
  try {
    watch = watchReadable(descriptor, onReadable);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { [Symbol.dispose]: close };
}

/** The codes of the keys that were pressed; other events, such as releases and movements, are left out. */
export function pressedKeys(events: Buffer): number[] {
  const codes: number[] = [];
  for (let at = 0; at + eventBytes <= events.length; at += eventBytes) {
    const [type, code, value] = [
      events.readUInt16LE(at + typeAt),
      events.readUInt16LE(at + typeAt + 2),
      events.readInt32LE(at + typeAt + 4),
    ];
    if (type === keyEvent && value === pressed) codes.push(code);
  }
  return codes;
}
