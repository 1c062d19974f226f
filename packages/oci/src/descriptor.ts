import type { Platform } from './platform.ts';

/** Names a piece of content. Source: OCI image specification, descriptors. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Set for a manifest in an index. */
  readonly platform?: Platform;
}
