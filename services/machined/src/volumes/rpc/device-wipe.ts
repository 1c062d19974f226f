import { metadataKeys, roles } from '@nodewright/contract';
import {
  type BlockDeviceWipeDescriptor,
  BlockDeviceWipeDescriptor_Method as Method,
  type StorageServiceImplementation,
} from '@nodewright/contract/gen/storage/storage.ts';
import { Fault } from '@nodewright/fault';
import type { State } from '@nodewright/state';
import { discoveredText, discoveredVolumes, volumeStatuses } from '@nodewright/state/kinds';
import type { Telemetry } from '@nodewright/telemetry';
import { rolesFromMetadata } from '../../access/domain/caller-roles.ts';
import { inSpan } from '../../base/host/in-span.ts';
import type { DeviceFacts, DeviceWipeWish, WipeMethod } from '../domain/plan-device-wipes.ts';

export interface DeviceWipeInit {
  /** The disks of the machine, or why this node has none. */
  readonly disks: WipeableDisks | { readonly refusal: string };
  readonly state: Pick<State, 'list'>;
  /** Publishes that a device is about to be wiped. */
  readonly announce: (wipe: AnnouncedWipe) => void;
  readonly telemetry: Telemetry;
}

/** A wipe that begins. */
export interface AnnouncedWipe {
  /** The kernel's name of the device. */
  readonly device: string;
  /** What was found on it; not escaped. */
  readonly found: string;
  /** The address of a caller without a certificate; undefined for others. */
  readonly address: string | undefined;
}

/** The part of the disks that the call uses. */
export interface WipeableDisks {
  wipe(
    wishes: readonly DeviceWipeWish[],
    volumes: DeviceFacts['volumes'],
    signal: AbortSignal,
    /** Called when all of them may be wiped, before the first one is. */
    onStart: () => void,
  ): Promise<void>;
}

const methods: Readonly<Partial<Record<Method, WipeMethod>>> = {
  [Method.FAST]: 'fast',
  [Method.ZEROES]: 'zeroes',
};

/**
 * BlockDeviceWipe. In maintenance everybody may call it, for what nothing uses and what is not on the system disk; only administrators
 * may skip checks.
 * Source: Talos v1.14: BlockDeviceWipe.
 */
export function createDeviceWipe({
  disks,
  state,
  announce,
  telemetry,
}: DeviceWipeInit): Pick<StorageServiceImplementation, 'blockDeviceWipe'> {
  return {
    async blockDeviceWipe({ devices }, { signal, metadata }) {
      const isAdmin = rolesFromMetadata(metadata.getAll(metadataKeys.role)).has(roles.admin);
      if (!isAdmin && devices.some((each) => each.skipVolumeCheck || each.skipSecondaryCheck))
        throw new Fault(
          'permission-denied',
          'only a certificate with os:admin may skip the checks of a wipe',
        );
      if ('refusal' in disks) throw new Fault('failed-precondition', disks.refusal);
      const wishes = devices.map((each) => wishOf(each, !isAdmin));
      const volumes = (await state.list(volumeStatuses)).map(({ metadata, spec }) => ({
        id: metadata.id,
        location: spec.location,
        parentLocation: spec.parentLocation,
      }));
      const found = (await state.list(discoveredVolumes)).map(({ metadata: { id }, spec }) => ({ id, spec }));
      const address = metadata.get(metadataKeys.address);
      const onStart = () => {
        for (const { device } of wishes) announce({ device, found: discoveredText(device, found), address });
      };
      await inSpan(telemetry, 'wipe block devices', () => disks.wipe(wishes, volumes, signal, onStart));
      return { messages: [{}] };
    },
  };
}

function wishOf({ method, ...wish }: BlockDeviceWipeDescriptor, sparesSystemDisk: boolean): DeviceWipeWish {
  const known = methods[method];
  if (known === undefined)
    throw new Fault('invalid-argument', `block device "${wish.device}": unknown wipe method ${method}`);
  return { ...wish, method: known, sparesSystemDisk };
}
