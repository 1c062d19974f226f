import { flags, frame, frameTypes } from './frame.ts';
import { headerBlock } from './header-block.ts';

export interface RawCall {
  /** `/machine.MachineService/Events`. */
  readonly path: string;
  readonly metadata?: readonly (readonly [name: string, value: string])[];
}

const emptyMessage = new Uint8Array(5);

/**
 * Prepares calls of one kind: the returned function gives the HEADERS frame for a stream. `ended`: no body
 * follows.
 */
export function headersOf({ path, metadata = [] }: RawCall, ended = false): (stream: number) => Buffer {
  const block = headerBlock([
    [':method', 'POST'],
    [':scheme', 'https'],
    [':path', path],
    [':authority', 'node'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...metadata,
  ]);
  const bits = flags.endHeaders | (ended ? flags.endStream : 0);
  return (stream) => frame(frameTypes.headers, bits, stream, block);
}

/** The DATA frame with an empty request message, which ends the request. */
export function emptyRequest(stream: number): Buffer {
  return frame(frameTypes.data, flags.endStream, stream, emptyMessage);
}
