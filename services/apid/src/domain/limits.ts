import { maxApplyConfigurationBytes, maxMessageSizeBytes } from '@nodewright/contract';
import { type LimitTable, limitValues } from '@nodewright/contract/declared-limits';

const calls = 'tests/contract/apid/limits.test.ts';
const floods = 'tests/attack/floods';
const shares = 'services/apid/src/gateway/call-shares.test.ts';
const connectionShares = 'services/apid/src/domain/connection-shares.test.ts';
const conduct = 'services/apid/src/gateway/caller-conduct.test.ts';
const starts = 'services/apid/src/gateway/start-queue.test.ts';
const growth = 'packages/h2/src/call-growth.test.ts';
const strangers = 'tests/contract/apid/wait.test.ts#strangers of many addresses';
const engine = 'packages/h2/src/frame-engine/floods.test.ts';

/**
 * The limits of apid. An identity is the SHA-256 of the public key of a client certificate. In maintenance clients have no certificate,
 * and the identity is their address.
 */
export const apidLimitTable = {
  /** How long connections of clients may do nothing. */
  connectionTimes: {
    prefaceMs: {
      what: 'time from the TLS handshake to the first frames of a connection',
      ...{ value: 10_000, unit: 'ms', effect: 'the connection is closed' },
      attackedBy: ['packages/h2/src/conformance/connections.ts'],
    },
    settingsMs: {
      what: "time from these to the acknowledgement of apid's SETTINGS, with the frame engine",
      ...{ value: 10_000, unit: 'ms', effect: 'SETTINGS_TIMEOUT, the connection is closed' },
      attackedBy: [`${engine}#a peer that does not acknowledge`],
    },
    idleMs: {
      what: "time without a call on a client's connection; it may be twice as long",
      ...{ value: 10 * 60_000, unit: 'ms' },
      effect: 'GOAWAY, and closed; gRPC clients connect again for their next call',
      attackedBy: ['packages/h2/src/idle-watch.test.ts', 'packages/h2/src/gateway-server.test.ts'],
    },
  },

  /** The shares of callers, and all of them together. */
  gatewayShares: {
    connectionsPerIdentity: {
      what: 'connections of one identity',
      ...{ value: 64, unit: 'connections' },
      effect: 'refused after the handshake, with the reason in a GOAWAY',
      attackedBy: [connectionShares, `${floods}/connections.ts#idle-sessions`],
    },
    connectionsPerApid: {
      what: 'connections of another apid, which spreads its callers over several',
      ...{ value: 512, unit: 'connections', effect: 'refused, as those of an identity' },
      attackedBy: [connectionShares],
    },
    connections: {
      what: 'connections of all clients',
      ...{ value: 1024, unit: 'connections', effect: 'refused, as those of an identity' },
      attackedBy: [connectionShares],
    },
    reservedConnections: {
      what: 'the last connections of all, which are kept for identities with few',
      ...{ value: 128, unit: 'connections', effect: 'refused for an identity that has more than a few' },
      attackedBy: [connectionShares],
    },
    smallIdentityConnections: {
      what: 'connections with which an identity has no longer few',
      ...{ value: 4, unit: 'connections', effect: 'it gets none of those that are kept' },
      attackedBy: [connectionShares],
    },
    callsPerIdentity: {
      what: 'open calls of one identity over all its connections; a call to several nodes counts for each',
      ...{ value: 512, unit: 'calls', effect: 'ResourceExhausted that names the limit' },
      attackedBy: [
        `${calls}#apid limits the open calls of a connection and of an identity`,
        `${floods}/open-calls.ts#many-connections`,
      ],
    },
    callsPerRoles: {
      what: 'open calls of all identities with the same roles',
      ...{ value: 2048, unit: 'calls' },
      effect: 'ResourceExhausted: a newly issued certificate raises no limit',
      attackedBy: [shares, `${floods}/open-calls.ts#reissued`],
    },
    callsPerApid: {
      what: 'open calls that another apid forwards',
      ...{ value: 2048, unit: 'calls', effect: 'ResourceExhausted' },
      attackedBy: [`${shares}#CallShares counts calls that an apid forwards for named callers`],
    },
    calls: {
      what: 'open calls of all callers',
      ...{ value: 4096, unit: 'calls', effect: 'ResourceExhausted' },
      attackedBy: [`${shares}#CallShares reserves the last calls`],
    },
    reservedCallsPerApid: {
      what: "the last calls of an apid's share, which are kept for callers with few",
      ...{ value: 512, unit: 'calls', effect: 'ResourceExhausted for a caller that has more than a few' },
      attackedBy: [`${shares}#CallShares counts calls that an apid forwards for named callers`],
    },
    reservedCalls: {
      what: 'the last calls of all, which are kept for callers with few',
      ...{ value: 1024, unit: 'calls', effect: 'ResourceExhausted for a caller that has more than a few' },
      attackedBy: [`${shares}#CallShares reserves the last calls`],
    },
    smallCallerCalls: {
      what: 'open calls with which a caller has no longer few',
      ...{ value: 32, unit: 'calls', effect: 'it gets none of those that are kept' },
      attackedBy: [`${shares}#CallShares reserves the last calls`],
    },
    nodesPerCall: {
      what: 'different `nodes` of a call',
      ...{ value: 256, unit: 'nodes', effect: 'InvalidArgument' },
      attackedBy: [
        'services/apid/src/domain/route-request.test.ts#routeRequest() takes each target of nodes once',
      ],
    },
    bytesPerIdentity: {
      what: 'memory for the calls of one identity: bodies and joint answers that are not read, also of calls that are over',
      ...{ value: 48 * 1024 * 1024, unit: 'bytes', effect: 'ResourceExhausted' },
      attackedBy: [
        'tests/contract/apid/call-limits.test.ts#apid refuses a call to many nodes whose answers exceed',
        'services/apid/src/gateway/fan-out.test.ts',
      ],
    },
    bytes: {
      what: 'the same for all callers',
      ...{ value: 128 * 1024 * 1024, unit: 'bytes', effect: 'ResourceExhausted' },
      attackedBy: [`${shares}#CallShares limits the bytes of one caller and of all callers`],
    },
    rememberedIdentities: {
      what: 'identities whose calls and bytes are counted',
      ...{ value: 4096, unit: 'identities', effect: 'those without calls and bytes are forgotten' },
      attackedBy: [],
    },
  },

  /**
   * Clients without a certificate of a worker that waits for its own. They count by themselves, so that strangers take no place of a
   * client with a certificate.
   */
  strangerLimits: {
    connections: {
      what: 'connections of clients without a certificate, at a worker that waits for its own',
      ...{ value: 64, unit: 'connections', effect: 'refused with the reason' },
      attackedBy: [strangers, 'tests/attack/checks/strangers.ts'],
    },
    connectionsPerIdentity: {
      what: 'those of one address, or of an IPv6 /64',
      ...{ value: 8, unit: 'connections', effect: 'refused with the reason' },
      attackedBy: [strangers, 'tests/attack/checks/strangers.ts'],
    },
    /** No stranger is an apid. */
    connectionsPerApid: {
      what: 'those of another apid, which has a certificate',
      ...{ value: 0, unit: 'connections', effect: 'refused' },
      attackedBy: [],
    },
    reservedConnections: {
      what: 'the last of them, which are kept for addresses with few',
      ...{ value: 16, unit: 'connections', effect: 'refused with the reason for other addresses' },
      attackedBy: [connectionShares, strangers],
    },
    smallIdentityConnections: {
      what: 'connections with which such an address has no longer few',
      ...{ value: 1, unit: 'connection', effect: 'it gets none of those that are kept' },
      attackedBy: [connectionShares],
    },
    callsPerConnection: {
      what: 'open calls of such a connection',
      ...{ value: 4, unit: 'calls', effect: 'the client queues further ones' },
      attackedBy: [strangers],
    },
    callMs: {
      what: 'time of a call of such a client',
      ...{ value: 5000, unit: 'ms', effect: 'DeadlineExceeded' },
      attackedBy: ['tests/contract/apid/wait.test.ts#an open call of a stranger ends after seconds'],
    },
    idleMs: {
      what: 'time without a call on such a connection; it may be twice as long',
      ...{ value: 15_000, unit: 'ms', effect: 'GOAWAY, and closed' },
      attackedBy: ['packages/h2/src/idle-watch.test.ts'],
    },
  },

  /** Rates of useless calls per identity. */
  conductLimits: {
    cancels: {
      burst: {
        what: 'calls of one identity that it cancels, at once',
        ...{ value: 500, unit: 'cancels' },
        effect: 'the connection ends with ENHANCE_YOUR_CALM, and new calls are refused for a while',
        attackedBy: [
          `${calls}#apid closes the connection of a client that cancels too often`,
          conduct,
          `${floods}/cancels.ts`,
        ],
      },
      perSecond: {
        what: 'the same after that',
        ...{ value: 20, unit: 'cancels per second', effect: 'the same' },
        attackedBy: [conduct, `${floods}/cancels.ts`],
      },
    },
    refusals: {
      burst: {
        what: 'calls of one identity that apid refuses, at once',
        ...{ value: 250, unit: 'calls', effect: 'the same, and new connections are refused as well' },
        attackedBy: [`${calls}#apid closes the connections of a client that repeats refused calls`, conduct],
      },
      perSecond: {
        what: 'the same after that',
        ...{ value: 50, unit: 'calls per second', effect: 'the same' },
        attackedBy: [conduct],
      },
    },
    lines: {
      burst: {
        what: 'log lines about failed calls of one identity, and about refused connections of one address or IPv6 /64, at once',
        ...{ value: 100, unit: 'lines', effect: 'dropped, and counted in the next line' },
        attackedBy: [`${conduct}#CallerConduct counts the log lines that it omits`],
      },
      perSecond: {
        what: 'the same after that',
        ...{ value: 20, unit: 'lines per second', effect: 'the same' },
        attackedBy: [`${conduct}#CallerConduct counts the log lines that it omits`],
      },
    },
    pauseMs: {
      what: 'time for which calls are refused after too many cancels or refused calls; it doubles when that is repeated soon',
      ...{ value: 5000, unit: 'ms', effect: 'calls are served again' },
      attackedBy: [`${conduct}#CallerConduct doubles the pause`],
    },
    longestPauseMs: {
      what: 'the longest such time',
      ...{ value: 60_000, unit: 'ms', effect: 'it does not double any more' },
      attackedBy: [`${conduct}#CallerConduct doubles the pause`],
    },
    rememberedIdentities: {
      what: 'identities whose rates are remembered',
      ...{ value: 4096, unit: 'identities', effect: 'one that has no pause is forgotten' },
      attackedBy: [`${conduct}#CallerConduct remembers a paused identity`],
    },
  },

  /**
   * How many calls of one caller may start at the same time. Further calls of the caller wait, and do not delay other callers. 100
   * watches of a dashboard start within half a second.
   */
  startLimits: {
    fewest: {
      what: 'calls of one identity that start at the same time, at first; one more after each answered call, one less after a failed one, half after a cancel',
      ...{ value: 4, unit: 'calls', effect: 'further calls wait, without delaying other callers' },
      attackedBy: [starts],
    },
    most: {
      what: 'the most of them',
      ...{ value: 32, unit: 'calls', effect: 'the same' },
      attackedBy: [`${starts}#StartQueue starts more calls as calls end with a response`],
    },
    mostAlone: {
      what: 'the most while no other identity has calls',
      ...{ value: 64, unit: 'calls', effect: 'the same' },
      attackedBy: [`${starts}#StartQueue starts more calls of a caller with a full window`],
    },
    crowd: {
      what: 'calls that start of all identities below the most, besides the first call of each',
      ...{ value: 6, unit: 'calls', effect: 'the same' },
      attackedBy: [`${starts}#StartQueue limits the starting calls of many callers`],
    },
    spacingMs: {
      what: 'time for which a call counts after the start of its answer, or after it was cancelled or has failed; up to half as long again',
      ...{ value: 20, unit: 'ms', effect: 'the next call starts' },
      attackedBy: [`${starts}#StartQueue frees the place of a failed call later`],
    },
    holdMs: {
      what: 'time for which a call without an answer counts; up to 10 ms longer',
      ...{ value: 250, unit: 'ms', effect: 'the next call starts' },
      attackedBy: [`${starts}#StartQueue counts the time of a waiting call from its own start`],
    },
  },

  /** Cancels of all callers together. */
  cancelLimits: {
    perTurn: {
      what: 'cancels that are forwarded to backends at once, in turns of all callers',
      ...{ value: 16, unit: 'cancels' },
      effect: 'further ones wait; for the client and its limits they take effect at once',
      attackedBy: ['services/apid/src/gateway/cancel-turns.test.ts', `${floods}/open-calls.ts#reissued`],
    },
    intervalMs: {
      what: 'time until as many are forwarded again',
      ...{ value: 5, unit: 'ms', effect: 'the same' },
      attackedBy: ['services/apid/src/gateway/cancel-turns.test.ts'],
    },
    waiting: {
      what: 'cancels that wait for that',
      ...{ value: 8192, unit: 'cancels', effect: 'further ones are forwarded at once' },
      attackedBy: ['services/apid/src/gateway/cancel-turns.test.ts#CancelTurns limits the number'],
    },
  },

  /** A dashboard and 100 watches use a quarter of them. */
  callsPerConnection: {
    what: 'open calls of a connection',
    ...{ value: 512, unit: 'calls', effect: 'the stream is refused' },
    attackedBy: [
      `${calls}#apid limits the open calls of a connection and of an identity`,
      `${floods}/open-calls.ts#open-calls`,
    ],
  },

  /**
   * How many calls a connection may have open at first, and how this number grows to `callsPerConnection` while the client uses it.
   * `first` cannot be much smaller: clients on node:http2 open all their calls before they have read our SETTINGS, and the calls above
   * the limit are refused.
   */
  callGrowth: {
    first: {
      what: 'open calls of a new connection, until it is settled',
      ...{ value: 160, unit: 'calls' },
      effect: 'the stream is refused, and a client that ignores the known limit is disconnected',
      attackedBy: [growth, `${engine}#calls above the limit are refused`],
    },
    generous: {
      what: 'connections that are new at the same time and have so many; further ones begin as settled',
      ...{ value: 2, unit: 'connections', effect: 'the same' },
      attackedBy: [growth],
    },
    settled: {
      what: 'open calls of a connection that is settled, and uses no more',
      ...{ value: 16, unit: 'calls', effect: 'the same; gRPC clients wait for the next step' },
      attackedBy: [growth, `${floods}/open-calls.ts#reissued`],
    },
    settleMs: {
      what: 'time after which a connection is settled; it may be twice as long',
      ...{ value: 250, unit: 'ms', effect: 'the same' },
      attackedBy: [growth],
    },
    furtherAfter: {
      what: 'connections of one identity after which further ones get fewer calls at first',
      ...{ value: 16, unit: 'connections', effect: 'the same' },
      attackedBy: [`${floods}/open-calls.ts#many-connections`],
    },
    firstOfFurther: {
      what: 'open calls of such a further connection, at first and when it is settled',
      ...{ value: 8, unit: 'calls', effect: 'the same' },
      attackedBy: [`${floods}/open-calls.ts#many-connections`],
    },
    step: {
      what: 'further calls once half are in use',
      ...{ value: 16, unit: 'calls', effect: 'they are allowed in steps' },
      attackedBy: [growth],
    },
    intervalMs: {
      what: 'time between two such steps, of all connections',
      ...{ value: 10, unit: 'ms', effect: 'the next connection waits for its step' },
      attackedBy: [growth],
    },
  },

  metadataBytes: {
    what: 'metadata of a call: its header list as HTTP/2 counts it',
    ...{ value: 128 * 1024, unit: 'bytes', effect: 'the stream ends' },
    attackedBy: [
      'tests/contract/apid/call-limits.test.ts#apid accepts metadata of 120 KiB',
      `${floods}/frames.ts#big-headers`,
    ],
  },

  streamWindowBytes: {
    what: 'body bytes of a call that its reader has not taken',
    ...{ value: 512 * 1024, unit: 'bytes', effect: 'flow control stops the sender' },
    attackedBy: ['packages/h2/src/conformance/bodies.ts', `${engine}#a body beyond the window`],
  },

  /** What fewer would save: docs/decisions/gateway.md. */
  backendLanes: {
    what: 'connections to each backend, over which callers are spread',
    ...{ value: 16, unit: 'connections', effect: 'several callers share one' },
    attackedBy: [`${connectionShares}#CallerLanes gives each caller a free lane`],
  },

  requestLimits: {
    largeBytes: {
      what: 'message of a request of an administrator, of resources, images and etcd backups',
      ...{ value: maxMessageSizeBytes, unit: 'bytes' },
      effect: "fails as upstream's: Internal that quotes ResourceExhausted",
      attackedBy: ['tests/contract/apid/faults.test.ts#a message of exactly 32 MiB passes'],
    },
    configurationBytes: {
      what: 'message with a machine configuration of at most 8 MiB',
      ...{ value: maxApplyConfigurationBytes, unit: 'bytes' },
      effect: 'InvalidArgument that names the limit, before machined receives the call',
      attackedBy: [
        'tests/contract/apid/faults.test.ts#a request that is too long for its method',
        `${floods}/configurations.ts#configuration-size`,
      ],
    },
    mediumBytes: {
      what: 'message with META values or the input of a container, of a client other than an administrator',
      ...{ value: 1024 * 1024, unit: 'bytes', effect: 'fails as larger ones' },
      attackedBy: ['tests/contract/apid/faults.test.ts#a request that is too long for its method'],
    },
    smallBytes: {
      what: 'any other message of a request of such a client',
      ...{ value: 64 * 1024, unit: 'bytes', effect: 'fails as larger ones' },
      attackedBy: [
        'tests/contract/apid/faults.test.ts#a request that is too long for its method',
        `${floods}/bodies.ts#body-reader`,
      ],
    },
  },

  /** What a node may write about itself in the metadata of an entry: an error and its status. */
  entryMetadataBytes: {
    what: 'metadata that a node wrote into its entry of a joint answer',
    ...{ value: 64 * 1024, unit: 'bytes' },
    effect: 'the entry becomes an error of the node, as one that does not consist of whole fields',
    attackedBy: ['services/apid/src/domain/aggregate.test.ts#labelledEntry() does not copy'],
  },

  backlogBytes: {
    what: 'bytes of a request to several nodes that wait for connections',
    ...{ value: 1024 * 1024, unit: 'bytes', effect: 'the client is paused' },
    attackedBy: [],
  },

  /** A client chooses its headers, and a plan with its log line and encoded headers may take 25 KB. */
  keptPlans: {
    what: 'calls whose headers repeat, of which the decision, log line and headers of the next hop are kept',
    ...{ value: 256, unit: 'calls', effect: 'the oldest is forgotten' },
    attackedBy: ['services/apid/src/gateway/call-plans.test.ts#CallPlans keeps no plan of headers that'],
  },

  /** Look-ups take threads of the pool that also reads files; it has four. */
  lookUpLimits: {
    running: {
      what: 'names of nodes that are looked up at once',
      ...{ value: 2, unit: 'names', effect: 'further ones wait' },
      attackedBy: ['services/apid/src/host/name-look-ups.test.ts#NameLookUps looks few names up at once'],
    },
    waiting: {
      what: 'names that wait for that',
      ...{ value: 256, unit: 'names', effect: 'Unavailable, the calls of other nodes continue' },
      attackedBy: ['services/apid/src/host/name-look-ups.test.ts#NameLookUps refuses names beyond its limit'],
    },
  },

  /** Source: Talos v1.14: process of apid. */
  callDrainMs: {
    what: 'time for the calls in flight when apid stops',
    ...{ value: 10_000, unit: 'ms', effect: 'they get a status' },
    attackedBy: ['tests/contract/apid/lifecycle.test.ts#SIGTERM: a call that does not end within 10 s'],
  },
} satisfies LimitTable;

export const {
  connectionTimes,
  gatewayShares,
  strangerLimits,
  conductLimits,
  startLimits,
  cancelLimits,
  callsPerConnection,
  callGrowth,
  metadataBytes,
  streamWindowBytes,
  backendLanes,
  requestLimits,
  entryMetadataBytes,
  backlogBytes,
  keptPlans,
  lookUpLimits,
  callDrainMs,
} = limitValues(apidLimitTable);
