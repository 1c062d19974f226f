// What h2spec may find. A case in a list must fail or be skipped: an entry that is no longer true fails the run.

/** Names of cases (`readReport`) with the reason why each is accepted. */
export type Exceptions = Readonly<Record<string, string>>;

/**
 * What answers. The code of apid refuses each request of h2spec, because it is not gRPC. A web server of the tests, on
 * the listener of apid, answers with a body, so that every case finds something to test.
 */
export type Answering = 'apid' | 'bodies';

/**
 * The sections of h2spec for each. Others depend on a stream that stays open, and with apid on whether its refusal or
 * the next frame of h2spec comes first.
 */
export const sections: Readonly<Record<Answering, readonly string[]>> = {
  apid: ['generic', 'hpack'],
  bodies: ['generic', 'hpack', 'http2'],
};

const noBody = 'apid refuses a request that is not gRPC without a body, so there is no DATA to wait for';

/** Of every engine. */
export const exceptions: Readonly<Record<Answering, Exceptions>> = {
  apid: {
    'generic/2: Sends a WINDOW_UPDATE frame on half-closed (remote) stream': noBody,
    'generic/2: Sends a PRIORITY frame on half-closed (remote) stream': noBody,
  },
  bodies: {},
};

const forgets = 'nghttp2 in Node forgets a closed stream, and ignores what still arrives for it';
const ofNode: Exceptions = {
  'http2/5.3.1: Sends PRIORITY frame that depend on itself':
    'RFC 9113, 5.3.2, has no priorities any more: node:http2 ignores the fields of PRIORITY',
  'http2/5.1: closed: Sends a DATA frame after sending RST_STREAM frame': forgets,
  'http2/5.1: closed: Sends a HEADERS frame after sending RST_STREAM frame': forgets,
  'http2/5.1: closed: Sends a DATA frame': forgets,
  'http2/5.1: closed: Sends a HEADERS frame': forgets,
  'http2/5.1.1: Sends stream identifier that is numerically smaller than previous':
    'nghttp2 in Node takes the stream for one that it has closed and forgotten',
  'http2/6.3: Sends a PRIORITY frame with 0x0 stream identifier': 'nghttp2 skips PRIORITY frames unread',
  'http2/6.7: Sends a PING frame with ACK': 'node:http2 ends a connection that answers a PING it never sent',
  'http2/6.9.1: Sends multiple WINDOW_UPDATE frames increasing the flow control window to above 2^31-1 on a stream':
    'node:http2 ends the connection instead of the stream',
};

/** Of one engine, by its name in `H2_ENGINE`. */
export const knownFailures: Readonly<Record<string, Readonly<Record<Answering, Exceptions>>>> = {
  node: { apid: {}, bodies: ofNode },
};
