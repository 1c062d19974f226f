import { requestHead } from '../../conformance/index.ts';
import { FrameReader, type FrameSink } from '../frame-reader.ts';
import { clientPreface, defaultWindowBytes, frameTypes, settingIds } from '../frame-types.ts';
import { endHeaders, endStream, frame, headers, number, settings, settingsAnswer } from './frames.ts';
import type { VirtualSocket } from './virtual-socket.ts';

/** How a client returns windows. */
export interface ClientWindows {
  readonly streamBytes: number;
  readonly connectionBytes: number;
  /** It returns a window once this share of it was read. */
  readonly returnedShare: number;
  /** It measures its bandwidth: a PING after a body, one at a time. */
  readonly hasProbes: boolean;
}

/** The long download. */
const download = 1;
const probe = frame(frameTypes.ping, 0, 0, Buffer.alloc(8));
const endOfCall = endHeaders | endStream;

/** A client of a download that never ends, with short calls beside it. It counts bodies and keeps none. */
export class DownloadingPeer implements FrameSink {
  readonly #socket: VirtualSocket;
  readonly #windows: ClientWindows;
  /** After so many bytes it makes a short call. */
  readonly #bytesPerCall: number;
  #streamGiven = 0;
  #connectionGiven = 0;
  #isProbing = false;
  #lastStream = download;
  bytes = 0;
  answeredCalls = 0;
  updates = 0;
  probes = 0;
  goawayCode: number | undefined;

  constructor(socket: VirtualSocket, windows: ClientWindows, bytesPerCall: number) {
    this.#socket = socket;
    this.#windows = windows;
    this.#bytesPerCall = bytesPerCall;
    const reader = new FrameReader(this);
    socket.send = (bytes) => {
      if (bytes !== null) reader.read(bytes);
    };
    const more = windows.connectionBytes - defaultWindowBytes;
    socket.bring(clientPreface);
    socket.bring(settings([settingIds.initialWindowSize, windows.streamBytes]));
    socket.bring(settingsAnswer);
    if (more > 0) this.#update(0, more);
    socket.bring(headers(download, requestHead, endOfCall));
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number): void {
    if (type === frameTypes.goaway) this.goawayCode = bytes.readUInt32BE(start + 4);
    if (type === frameTypes.ping) this.#isProbing = false;
    if (type === frameTypes.headers && stream !== download && flags === endOfCall) this.answeredCalls += 1;
  }

  dataHead(_flags: number, stream: number, length: number): void {
    const { streamBytes, connectionBytes, returnedShare, hasProbes } = this.#windows;
    this.bytes += length;
    if (hasProbes && !this.#isProbing) {
      this.#isProbing = true;
      this.probes += 1;
      this.#socket.bring(probe);
    }
    this.#connectionGiven += length;
    if (this.#connectionGiven >= connectionBytes * returnedShare) {
      this.#update(0, this.#connectionGiven);
      this.#connectionGiven = 0;
    }
    if (stream !== download) return;
    this.#streamGiven += length;
    if (this.#streamGiven >= streamBytes * returnedShare) {
      this.#update(download, this.#streamGiven);
      this.#streamGiven = 0;
    }
    if (2 * this.bytes < this.#bytesPerCall * (this.#lastStream + 1)) return;
    this.#lastStream += 2;
    this.#socket.bring(headers(this.#lastStream, [...requestHead, 'x-short', '1'], endOfCall));
  }

  dataPart(): void {}
  dataEnd(): void {}

  #update(stream: number, bytes: number): void {
    this.updates += 1;
    this.#socket.bring(frame(frameTypes.windowUpdate, 0, stream, number(bytes)));
  }
}
