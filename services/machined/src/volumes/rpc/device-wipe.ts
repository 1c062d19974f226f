import {
  type BlockDeviceWipeDescriptor,
  BlockDeviceWipeDescriptor_Method as Method,
  type StorageServiceImplementation,
} from '@nodewright/contract/gen/storage/storage.ts';
import { Fault } from '@nodewright/fault';
import type { State } from '@nodewright/state';
import { volumeStatuses } from '@nodewright/state/kinds';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import type { DeviceFacts, DeviceWipeWish, WipeMethod } from '../domain/plan-device-wipes.ts';

export interface DeviceWipeInit {
  /** The disks of the machine, or why this node has none. */
  readonly disks: WipeableDisks | { readonly refusal: string };
  readonly state: Pick<State, 'list'>;
  readonly telemetry: Telemetry;
}

/** The part of the disks that the call uses. */
export interface WipeableDisks {
  wipe(
    wishes: readonly DeviceWipeWish[],
    volumes: DeviceFacts['volumes'],
    signal: AbortSignal,
  ): Promise<void>;
}

const methods: Readonly<Partial<Record<Method, WipeMethod>>> = {
  [Method.FAST]: 'fast',
  [Method.ZEROES]: 'zeroes',
};

/** BlockDeviceWipe. Source: Talos v1.14: BlockDeviceWipe. */
export function createDeviceWipe({
  disks,
  state,
  telemetry,
}: DeviceWipeInit): Pick<StorageServiceImplementation, 'blockDeviceWipe'> {
  return {
    async blockDeviceWipe({ devices }, { signal }) {
      if ('refusal' in disks) throw new Fault('failed-precondition', disks.refusal);
      const wishes = devices.map(wishOf);
      const volumes = (await state.list(volumeStatuses)).map(({ metadata, spec }) => ({
        id: metadata.id,
        location: spec.location,
        parentLocation: spec.parentLocation,
      }));
      await inSpan(telemetry, 'wipe block devices', () => disks.wipe(wishes, volumes, signal));
      return { messages: [{}] };
    },
  };
}

function wishOf({ method, ...wish }: BlockDeviceWipeDescriptor): DeviceWipeWish {
  const known = methods[method];
  if (known === undefined)
    throw new Fault('invalid-argument', `block device "${wish.device}": unknown wipe method ${method}`);
  return { ...wish, method: known };
}
