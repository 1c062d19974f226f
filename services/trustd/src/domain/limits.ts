import { maxTrustdMessageSizeBytes } from '@nodewright/contract';
import { type LimitTable, limitValues } from '@nodewright/contract/declared-limits';

const attack = 'tests/contract/trustd/attack.test.ts';
const floods = 'tests/attack/floods/trust.ts';
const calls = 'services/trustd/src/rpc/serve-call.test.ts';
const connections = 'services/trustd/src/host/connections.test.ts';
const toEnd = 'services/trustd/src/domain/connection-to-end.test.ts';
const guesses = 'services/trustd/src/domain/wrong-guesses.test.ts';

/**
 * The limits of trustd. Its port accepts clients without a certificate, so a connection is anonymous until one of its calls has sent the
 * cluster's token.
 */
export const trustdLimitTable = {
  handshakes: {
    what: 'TLS handshakes at the same time',
    ...{ value: 128, unit: 'handshakes' },
    effect: 'the busiest address, or IPv6 /64, loses its oldest one',
    attackedBy: [`${attack}#TCP connections that start no TLS handshake`, `${floods}#trustd-silent`],
  },
  handshakeMs: {
    what: 'time of a handshake',
    ...{ value: 10_000, unit: 'ms', effect: 'the connection is closed' },
    attackedBy: [`${floods}#trustd-silent`],
  },
  /** One for each node of the largest supported cluster, and anonymous ones. */
  connections: {
    what: 'connections',
    ...{ value: 4096, unit: 'connections', effect: 'the oldest anonymous connection is closed' },
    attackedBy: [`${toEnd}#connectionToEnd() ends an anonymous connection for a node`],
  },
  anonymous: {
    what: 'anonymous connections',
    ...{ value: 256, unit: 'connections', effect: 'the oldest one of the busiest address is closed' },
    attackedBy: [`${toEnd}#connectionToEnd() ends the oldest anonymous connection of the busiest address`],
  },
  anonymousPerGroup: {
    what: 'anonymous connections of one address, or of an IPv6 /64',
    ...{ value: 64, unit: 'connections', effect: 'the oldest one is closed' },
    attackedBy: [`${attack}#silent connections beyond the limit of an address`],
  },
  anonymousMs: {
    what: 'time of a connection without the correct token',
    ...{ value: 10_000, unit: 'ms', effect: 'closed' },
    attackedBy: [`${connections}#Connections closes a connection without a right token after 10 s`],
  },
  /** Nodes report every 5 s. */
  silentMs: {
    what: 'time of a connection with the correct token after its last call',
    ...{ value: 60_000, unit: 'ms', effect: 'closed' },
    attackedBy: [`${connections}#Connections keeps a node that makes calls`],
  },
  callsPerConnection: {
    what: 'open calls of a connection',
    ...{ value: 32, unit: 'calls', effect: 'the stream is refused' },
    attackedBy: [`${attack}#calls beyond the limit of a connection are refused`],
  },
  cancels: {
    burst: {
      what: 'calls of a connection that its client cancels, at once',
      ...{ value: 64, unit: 'cancels', effect: 'that connection ends with ENHANCE_YOUR_CALM' },
      attackedBy: [`${attack}#a client that resets its calls loses its own connection only`],
    },
    perSecond: {
      what: 'the same after that',
      ...{ value: 4, unit: 'cancels per second', effect: 'the same' },
      attackedBy: [`${floods}#trustd-resets`],
    },
  },
  streamWindowBytes: {
    what: 'body bytes of a call that trustd has not read',
    ...{ value: 32 * 1024, unit: 'bytes', effect: 'flow control stops the sender' },
    attackedBy: [`${attack}#unfinished messages of unknown clients are not kept`],
  },
  metadataBytes: {
    what: 'metadata of a call',
    ...{ value: 16 * 1024, unit: 'bytes', effect: 'the stream ends' },
    attackedBy: [],
  },
  bodyBytes: {
    what: 'bodies of all calls while they arrive',
    ...{ value: 16 * 1024 * 1024, unit: 'bytes', effect: 'ResourceExhausted' },
    attackedBy: [`${calls}#serveCall() limits the bodies of all calls`],
  },
  bodyMs: {
    what: 'time for a body to arrive',
    ...{ value: 10_000, unit: 'ms', effect: 'DeadlineExceeded' },
    attackedBy: [`${calls}#serveCall() limits the bodies of all calls`],
  },
  messageBytes: {
    what: 'message of a request',
    ...{ value: maxTrustdMessageSizeBytes, unit: 'bytes', effect: 'ResourceExhausted' },
    attackedBy: ['tests/contract/trustd/refusals.test.ts#Certificate refuses a message over 96 KiB'],
  },
  /** Enough for about a thousand names and addresses. The request of a node has less than one kilobyte. */
  certificateRequestBytes: {
    what: 'certificate request in it',
    ...{ value: 64 * 1024, unit: 'bytes', effect: 'InvalidArgument' },
    attackedBy: ['services/trustd/src/domain/signing-policy.test.ts#assertRequestSize() rejects'],
  },
  /** Enough for a node with the maximum number of addresses. A usual report has less than 300 bytes. */
  reportBytes: {
    what: 'report of a node',
    ...{ value: 16 * 1024, unit: 'bytes', effect: 'InvalidArgument' },
    attackedBy: ['tests/contract/trustd/report.test.ts#Report refuses an invalid record'],
  },
  guessWaitMs: {
    what: 'time until a call with a wrong token is answered',
    ...{ value: 1000, unit: 'ms', effect: 'Unauthenticated' },
    attackedBy: [`${calls}#serveCall() delays a wrong token by 1 s`],
  },
  guessesPerGroup: {
    what: 'calls of one address, or of an IPv6 /64, with a wrong token that wait for this answer',
    ...{ value: 16, unit: 'calls' },
    effect: 'ResourceExhausted at once; calls with the correct token are never delayed',
    attackedBy: [
      `${calls}#serveCall() delays 16 wrong tokens`,
      `${attack}#wrong tokens are delayed, and refused beyond the limit`,
      `${floods}#trustd-guesses`,
    ],
  },
  guessGroups: {
    what: 'addresses, or IPv6 /64, with such calls',
    ...{ value: 1024, unit: 'addresses', effect: 'ResourceExhausted at once for further ones' },
    attackedBy: [`${guesses}#WrongGuesses stays within both limits`],
  },
  logBurst: {
    what: 'log lines about anonymous clients, at once',
    ...{ value: 20, unit: 'lines', effect: 'dropped, and counted in the next line' },
    attackedBy: [`${calls}#serveCall() limits the log lines about wrong tokens`],
  },
  logPerSecond: {
    what: 'the same after that',
    ...{ value: 1, unit: 'line per second', effect: 'the same' },
    attackedBy: ['services/trustd/src/domain/log-allowance.test.ts'],
  },
} satisfies LimitTable;

export const trustdLimits = limitValues(trustdLimitTable);
