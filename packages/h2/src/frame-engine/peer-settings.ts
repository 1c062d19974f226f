import { enhanceYourCalm, flowControlError, frameSizeError, protocolError } from './connection-error.ts';
import { floodLimits } from './flood-limits.ts';
import {
  defaultFrameBytes,
  defaultTableBytes,
  defaultWindowBytes,
  maxFrameBytes,
  maxWindowBytes,
  settingBytes,
  settingIds,
} from './frame-types.ts';

/** The settings of a peer, as far as they bind this end. */
export class PeerSettings {
  /** Calls that this end may have open. */
  maxConcurrentStreams = Number.POSITIVE_INFINITY;
  initialWindowBytes = defaultWindowBytes;
  maxFrameBytes = defaultFrameBytes;
  /** The smallest table size that the peer has set so far, in bytes. */
  smallestTableBytes = defaultTableBytes;

  /**
   * Reads a SETTINGS frame. Only the last value of each setting counts, so that a frame costs the same
   * whatever it repeats.
   *
   * @param isServer this end is the server
   * @throws ConnectionError for values that RFC 9113, section 6.5.2, forbids
   */
  read(bytes: Buffer, start: number, end: number, isServer: boolean): void {
    const length = end - start;
    if (length % settingBytes !== 0) throw frameSizeError('SETTINGS has an incomplete setting');
    if (length / settingBytes > floodLimits.settingsPerFrame) throw enhanceYourCalm('too many settings');
    for (let at = start; at < end; at += settingBytes) {
      this.#set(bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2), isServer);
    }
  }

  #set(id: number, value: number, isServer: boolean): void {
    switch (id) {
      case settingIds.headerTableSize:
        this.smallestTableBytes = Math.min(this.smallestTableBytes, value);
        return;
      case settingIds.enablePush:
        if (value > 1 || (!isServer && value !== 0)) throw protocolError('ENABLE_PUSH has an invalid value');
        return;
      case settingIds.maxConcurrentStreams:
        this.maxConcurrentStreams = value;
        return;
      case settingIds.initialWindowSize:
        if (value > maxWindowBytes) throw flowControlError('INITIAL_WINDOW_SIZE is too large');
        this.initialWindowBytes = value;
        return;
      case settingIds.maxFrameSize:
        if (value < defaultFrameBytes || value > maxFrameBytes) {
          throw protocolError('MAX_FRAME_SIZE has an invalid value');
        }
        this.maxFrameBytes = value;
        return;
      default:
      // Unknown settings are ignored. Source: RFC 9113, section 6.5.2.
    }
  }
}
