import { type LimitTable, limitValues } from '@nodewright/contract/declared-limits';

const server = 'packages/h2/src/gateway-server.test.ts';
const connections = 'tests/attack/floods/connections.ts';
const turns = 'packages/h2/src/handshake-turns.test.ts';
const floods = 'packages/h2/src/frame-engine/floods.test.ts';
const flood = 'tests/attack/floods/frames.ts';
const meter = 'packages/h2/src/frame-engine/flood-meter.test.ts';
const keepalives = 'packages/h2/src/frame-engine/keepalives.test.ts';
const dead = 'packages/h2/src/liveness.test.ts';
const probes = 'packages/h2/src/backend-probes.test.ts';
const pool = 'packages/h2/src/backend-pool.test.ts';
const writer = 'packages/h2/src/frame-engine/frame-writer.test.ts';
const logged = 'packages/h2/src/logged-metadata.test.ts#loggedMetadata() limits the size';

/** What connections by HTTP/2 may cost a daemon. Limits that differ between clients and daemons are in `H2Limits`. */
export const h2LimitTable = {
  handshakes: {
    inFlight: {
      what: 'TLS handshakes of a listener at the same time, unless it says otherwise',
      ...{ value: 128, unit: 'handshakes' },
      effect: 'the address, or IPv6 /64, with the most loses its oldest one',
      attackedBy: ['packages/h2/src/handshake-gate.test.ts', `${connections}#silent-apid`],
    },
    timeoutMs: {
      what: 'time of a handshake',
      ...{ value: 10_000, unit: 'ms', effect: 'the connection is closed' },
      attackedBy: [`${connections}#silent-apid`],
    },
  },
  /** A handshake takes 1.2 ms of the main thread, so they take at most a quarter of it. */
  handshakeStarts: {
    burst: {
      what: 'handshakes that begin at once',
      ...{ value: 4, unit: 'handshakes' },
      effect: 'further ones wait, and the addresses, or IPv6 /64, take turns',
      attackedBy: [turns, `${connections}#handshakes-apid`],
    },
    perSecond: {
      what: 'handshakes that begin after that',
      ...{ value: 200, unit: 'handshakes per second', effect: 'the same' },
      attackedBy: [turns, `${connections}#handshakes-apid`],
    },
    waiting: {
      what: 'connections that wait for their handshake',
      ...{ value: 1024, unit: 'connections' },
      effect: 'the address with the most loses its oldest one',
      attackedBy: [`${server}#GatewayServer closes connections when too many wait`],
    },
  },

  /** What a peer may cost on one connection, with the frame engine. */
  floods: {
    /**
     * PING, SETTINGS, WINDOW_UPDATE, PRIORITY, empty DATA, frames of unknown types and of closed streams. The burst is large, because
     * answering 10,000 PINGs costs as little as one TLS handshake: a peer that is disconnected sooner gains by coming back.
     */
    idleFrames: {
      burst: {
        what: 'frames that bring no call and no body (PING, SETTINGS, WINDOW_UPDATE, empty DATA and the like), at once',
        ...{ value: 10_000, unit: 'frames', effect: 'ENHANCE_YOUR_CALM, the connection is closed' },
        attackedBy: [meter, `${floods}#a flood of frames without a purpose`, `${flood}#pings`],
      },
      perSecond: {
        what: 'the same after that',
        ...{ value: 500, unit: 'frames per second', effect: 'the same' },
        attackedBy: [`${meter}#FloodMeter takes the rate of its limit`, `${flood}#window-updates`],
      },
    },
    /**
     * Windows and probes follow bodies. A sent frame that a window has cut short allows none: its peer could ask for a body byte by
     * byte.
     */
    idleFramesPerUsefulFrame: {
      what: 'such frames for each call and each frame with a body besides',
      ...{ value: 8, unit: 'frames', effect: 'the same' },
      attackedBy: [`${floods}#answers, windows and probes that follow bodies`, keepalives],
    },
    /** A peer returns windows for what it reads: Go's net/http in steps of 4 KiB, for the stream and for the connection. */
    sentBytesPerIdleFrame: {
      what: 'sent body bytes that allow one such frame besides',
      ...{ value: 1024, unit: 'bytes', effect: 'the same' },
      attackedBy: [`${meter}#FloodMeter takes what the sent bodies allow`],
    },
    waitingAnswers: {
      what: 'answers to PING and SETTINGS, and refused calls, that the peer does not read',
      ...{ value: 10_000, unit: 'answers', effect: 'the same' },
      attackedBy: [`${keepalives}#a client that reads nothing is disconnected`],
    },
    /** Six are defined. nghttp2 has the same. */
    settingsPerFrame: {
      what: 'settings in one frame',
      ...{ value: 32, unit: 'settings', effect: 'the same' },
      attackedBy: ['packages/h2/src/frame-engine/protocol-errors.test.ts#33 settings'],
    },
    /** Clients send full frames. */
    spareContinuations: {
      what: 'CONTINUATION frames of one header block besides those that its size needs',
      ...{ value: 8, unit: 'frames', effect: 'the same' },
      attackedBy: [`${floods}#a header block that never ends`, `${flood}#continuations`],
    },
    bytesPerContinuation: {
      what: 'bytes for each such frame that a block of many must have on average',
      ...{ value: 4096, unit: 'bytes', effect: 'the same' },
      attackedBy: [`${floods}#a header block that never ends`],
    },
    fields: {
      what: 'fields of a header list',
      ...{ value: 4096, unit: 'fields', effect: 'the stream is reset' },
      attackedBy: [`${floods}#a header list with more fields`],
    },
  },
  /** How much of a connection may be in memory, with the frame engine. */
  queues: {
    streamBytes: {
      what: 'answer of one call that the client does not read, beside one chunk',
      ...{ value: 64 * 1024, unit: 'bytes', effect: 'the backend of the call is paused' },
      attackedBy: [`${floods}#windows that never open`],
    },
    streamResumeBytes: {
      what: 'what is left of it when the backend goes on',
      ...{ value: 32 * 1024, unit: 'bytes', effect: 'it is paused until then' },
      attackedBy: [`${floods}#a slow reader of one call`],
    },
    socketBytes: {
      what: 'answers in the socket that the client does not read',
      ...{ value: 256 * 1024, unit: 'bytes', effect: 'calls keep what follows' },
      attackedBy: [`${floods}#answers to a client that does not read`],
    },
    /** Budgets of callers (`limitUnread`) are smaller, so they end the calls before. */
    unreadBytes: {
      what: 'body bytes of all calls of a connection that nobody has read',
      ...{ value: 64 * 1024 * 1024, unit: 'bytes', effect: 'the window of the connection stays closed' },
      attackedBy: [`${floods}#bytes that nobody reads count`],
    },
    waitingCalls: {
      what: "calls to a backend that wait for the backend's limit",
      ...{ value: 4096, unit: 'calls', effect: 'refused' },
      attackedBy: [`${floods}#calls that wait for a limit on open calls`],
    },
  },
  /** How a connection ends, after the last frame, with the frame engine. */
  ends: {
    lingerMs: {
      what: 'time of a peer to read the last frames of a connection',
      ...{ value: 500, unit: 'ms', effect: 'closed' },
      attackedBy: [`${keepalives}#a drained server closes`],
    },
    lingerBytes: {
      what: 'bytes that it may send meanwhile, which are dropped',
      ...{ value: 1024 * 1024, unit: 'bytes', effect: 'closed at once' },
      attackedBy: [`${floods}#a client that goes on sending`],
    },
  },

  requestRestMs: {
    what: 'time of a backend to read the rest of a request after its answer',
    ...{ value: 5000, unit: 'ms', effect: 'the stream is reset' },
    attackedBy: [`${floods}#a stream whose backend has answered`],
  },
  /** Servers close connections that send PINGs more often than they allow. Source: gRPC, keepalive: one ping in five minutes. */
  liveness: {
    silenceMs: {
      what: 'silence of a node that has open calls, until it gets a PING',
      ...{ value: 20_000, unit: 'ms', effect: 'PING' },
      attackedBy: [
        `${dead}#a peer that is silent during a call`,
        'tests/attack/floods/dead-node.ts#dead-node',
      ],
    },
    answerMs: {
      what: 'time for the answer to the PING',
      ...{ value: 10_000, unit: 'ms', effect: 'Unavailable that names the node' },
      attackedBy: [
        `${dead}#a peer that is silent during a call`,
        'packages/h2/src/conformance/connections.ts',
      ],
    },
    restMs: {
      what: 'time between two PINGs on a connection',
      ...{ value: 5 * 60_000, unit: 'ms', effect: 'no PING is sent' },
      attackedBy: [`${dead}#a peer that sends something`],
    },
  },
  /** As in upstream, but for `probes`: there the gateway waits until the back-off is over. Source: Talos v1.14: outgoing connections of apid. */
  pool: {
    connectTimeoutMs: {
      what: 'time to connect to another node, until its first SETTINGS',
      ...{ value: 15_000, unit: 'ms', effect: 'Unavailable that names the node and the hop' },
      attackedBy: [`${pool}#BackendPool times out on a backend`, 'services/apid/src/host/dial-node.test.ts'],
    },
    idleTimeoutMs: {
      what: 'time without a call on a connection to a backend',
      ...{ value: 15 * 60_000, unit: 'ms', effect: 'closed' },
      attackedBy: [`${pool}#BackendPool closes an idle connection`],
    },
    detachTimeoutMs: {
      what: 'time for the calls on a connection that new ones do not use any more, at least',
      ...{ value: 30 * 60_000, unit: 'ms', effect: 'closed' },
      attackedBy: [`${pool}#BackendPool detaches connections`],
    },
    probes: {
      firstPauseMs: {
        what: 'pause between two dials to a member that refused a connection, while calls to it are refused, at first',
        ...{ value: 250, unit: 'ms', effect: 'dialled later' },
        attackedBy: [`${probes}#BackendProbes dials a dead backend`, 'tests/attack/checks/lost-members.ts'],
      },
      longestPauseMs: {
        what: 'the longest such pause',
        ...{ value: 2000, unit: 'ms', effect: 'dialled' },
        attackedBy: [`${probes}#BackendProbes dials a dead backend`],
      },
      dials: {
        burst: {
          what: 'such dials to all members, at once',
          ...{ value: 25, unit: 'dials', effect: 'dialled later' },
          attackedBy: [`${probes}#BackendProbes dials 256 dead backends`],
        },
        perSecond: {
          what: 'the same after that',
          ...{ value: 50, unit: 'dials per second', effect: 'the same' },
          attackedBy: [`${probes}#BackendProbes dials 256 dead backends`],
        },
      },
    },
  },

  /** What all connections share, or keep for the next use. */
  memory: {
    /**
     * At least half of it is free for a read, so that a read takes most of what the kernel holds for a unix socket (208 KiB by default)
     * and causes one write.
     */
    readBlockBytes: {
      what: 'block into which unix sockets are read',
      ...{ value: 256 * 1024, unit: 'bytes', effect: 'the rest is the next read' },
      attackedBy: ['packages/h2/src/read-blocks.test.ts'],
    },
    /** So that a burst does not keep its memory. */
    freeBlocks: {
      what: 'free blocks that are kept',
      ...{ value: 4, unit: 'blocks', effect: 'further ones are left to the garbage collector' },
      attackedBy: ['packages/h2/src/read-blocks.test.ts#a megabyte of free blocks is kept'],
    },
    /** OpenSSL passes on at most one record at a time. Source: RFC 8446, section 5.1. */
    scratchBytes: {
      what: 'memory into which all TLS connections read',
      ...{ value: 16 * 1024, unit: 'bytes', effect: 'the next read replaces the bytes' },
      attackedBy: ['packages/h2/src/read-into-scratch.test.ts'],
    },
    /** What a TLS connection brings in one turn is one piece. */
    largeSlabBytes: {
      what: 'memory of a connection for copies of large parts of bodies, while its socket takes them at once',
      ...{ value: 64 * 1024, unit: 'bytes', effect: 'new memory for what does not fit' },
      attackedBy: [`${writer}#FrameWriter copies what is in the scratch at once`],
    },
    largeReadBytes: {
      what: 'reads of this size and more, whose memory is counted until it is collected',
      ...{ value: 8 * 1024, unit: 'bytes', effect: 'smaller ones share memory' },
      attackedBy: ['packages/h2/src/frame-engine/bulk-reads.test.ts#BulkReads collects after a turn'],
    },
    /**
     * With half of it collections take as much as they save; with four times as much a stream takes between as much and three times as
     * much processor time, from one to the next.
     */
    collectEveryBytes: {
      what: 'memory of such reads until new objects are collected, which takes half a millisecond',
      ...{
        value: 2 * 1024 * 1024,
        unit: 'bytes',
        effect: 'what is read is delayed by it, once in a turn at most',
      },
      attackedBy: ['packages/h2/src/frame-engine/bulk-reads.test.ts#BulkReads collects after a turn'],
    },
  },

  /** Clients choose their metadata. */
  log: {
    keys: {
      what: 'keys of the metadata of a call in the log',
      ...{ value: 32, unit: 'keys', effect: 'the rest is dropped' },
      attackedBy: [logged],
    },
    characters: {
      what: 'characters of each key and of each value',
      ...{ value: 200, unit: 'characters', effect: 'the rest is dropped' },
      attackedBy: [logged],
    },
  },
} satisfies LimitTable;

export const h2Limits = limitValues(h2LimitTable);
