import type { LinkHardware } from '@nodewright/linux';

/** What is known of the hardware of the node's links. */
export interface LinkHardwareSource {
  /** Undefined for a link without hardware, and for every link until the devices of the node are known. */
  of(name: string): LinkHardware | undefined;
  /** Calls `onChange` when it may have changed, until it is disposed of. */
  watch(onChange: () => void): Disposable;
}
