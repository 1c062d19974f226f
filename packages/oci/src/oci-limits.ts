import { type LimitTable, limitValues } from '@nodewright/contract/declared-limits';

const server = 'packages/oci/src/serve/distribution-server.test.ts';
const turns = 'packages/oci/src/serve/chunk-turns.test.ts';
const registry = 'tests/attack/floods/registry.ts';

/** The limits of the endpoint that serves images, of what is kept of them in memory, and of requests to registries. */
export const ociLimitTable = {
  /** Of the endpoint for its clients. */
  distribution: {
    connections: {
      what: 'connections of clients',
      ...{ value: 256, unit: 'connections' },
      effect: 'the one that has been without a request for longest is closed, else the new one',
      attackedBy: [
        `${server}#connections without a request lose their places`,
        `${registry}#registry-silent`,
      ],
    },
    requests: {
      what: 'requests that are worked on at the same time, without long answers',
      ...{ value: 64, unit: 'requests', effect: 'further ones wait in line' },
      attackedBy: [`${server}#requests above the limit wait until others are answered`],
    },
    /** With `requests` there is room for one request of each connection. */
    requestLine: {
      what: 'requests in line',
      ...{ value: 192, unit: 'requests', effect: '429 for further ones' },
      attackedBy: [`${server}#more requests than the limit and the line get 429`],
    },
    /** Most requests take a few milliseconds until their answer is long or complete. */
    requestLineMs: {
      what: 'time of a request in line',
      ...{ value: 1000, unit: 'ms', effect: '429' },
      attackedBy: [`${server}#more requests than the limit and the line get 429`],
    },
    longAnswers: {
      what: 'long answers that are sent at the same time',
      ...{ value: 64, unit: 'answers', effect: 'further ones wait in line' },
      attackedBy: [`${server}#more long answers than the limit`, `${registry}#registry-slow-readers`],
    },
    longLine: {
      what: 'long answers in line',
      ...{ value: 128, unit: 'answers', effect: '429 for further ones' },
      attackedBy: [`${server}#more long answers than the limit`],
    },
    longLineMs: {
      what: 'time of a long answer in line',
      ...{ value: 5000, unit: 'ms', effect: '429' },
      attackedBy: [`${server}#a long answer waits until another one ends`],
    },
    patienceMs: {
      what: 'time that an answer has waited for its client, all in all, while others are in line',
      ...{ value: 1000, unit: 'ms', effect: 'it ends, the slowest first' },
      attackedBy: [`${server}#clients that hold every long answer without reading`],
    },
    headerBytes: {
      what: 'request line and headers',
      ...{ value: 16 * 1024, unit: 'bytes', effect: '431' },
      attackedBy: [`${server}#too long headers`, `${registry}#registry-headers`],
    },
    headersMs: {
      what: 'time for them',
      ...{ value: 10_000, unit: 'ms', effect: '408' },
      attackedBy: [`${server}#too long headers`],
    },
    idleMs: {
      what: 'time between two requests of a connection',
      ...{ value: 30_000, unit: 'ms', effect: 'closed' },
      attackedBy: [],
    },
    stallMs: {
      what: 'time of a client to take one chunk, of up to 256 KiB',
      ...{ value: 60_000, unit: 'ms', effect: 'its connection is closed; others are served meanwhile' },
      attackedBy: [`${server}#a client that does not read loses its connection`],
    },
    /** Source: Talos v1.14: image cache. */
    drainMs: {
      what: 'time for open answers when the endpoint closes',
      ...{ value: 5000, unit: 'ms', effect: 'they end' },
      attackedBy: [],
    },
  },
  /** All manifests, and the configuration of almost every image, are shorter. */
  shortAnswerBytes: {
    what: 'answer that is not long',
    ...{ value: 256 * 1024, unit: 'bytes', effect: 'a longer one counts as a long answer' },
    attackedBy: [`${server}#more long answers than the limit`],
  },
  chunkTurns: {
    /** That of one chunk of 256 KiB, or of eight small ones. */
    turnBytes: {
      what: 'cost of the chunks of answers that begin in one turn of the event loop',
      ...{ value: 288 * 1024, unit: 'bytes' },
      effect:
        'the others wait; next is the answer that will have sent the least, and every other time the one that has waited the longest',
      attackedBy: [turns, `${registry}#registry-ranges`],
    },
    /** Reading and sending even one byte takes time. An estimate. */
    chunkCostBytes: {
      what: 'cost of a chunk beside its bytes',
      ...{ value: 32 * 1024, unit: 'bytes', effect: 'the same' },
      attackedBy: [`${turns}#at most eight small chunks begin in one turn`],
    },
  },
  manifestMemory: {
    manifests: {
      what: 'manifests that are kept in memory',
      ...{ value: 256, unit: 'manifests' },
      effect: 'those that were kept first are read from their files and verified again',
      attackedBy: ['packages/oci/src/cache/manifest-memory.test.ts#at most a mebibyte'],
    },
    bytes: {
      what: 'their bytes',
      ...{ value: 1024 * 1024, unit: 'bytes', effect: 'the same' },
      attackedBy: ['packages/oci/src/cache/manifest-memory.test.ts#at most a mebibyte'],
    },
  },
  verifiedFiles: {
    files: {
      what: 'files of blobs that are remembered as verified',
      ...{ value: 1024, unit: 'files', effect: 'read and verified again' },
      attackedBy: [],
    },
    /** A medium may damage a file without changing its times, so what was verified is verified again. */
    goodForMs: {
      what: 'time for which they, and manifests in memory, are not verified again',
      ...{ value: 10 * 60_000, unit: 'ms', effect: 'the same' },
      attackedBy: ['packages/oci/src/cache/blob-file.test.ts#a blob that was verified is read'],
    },
  },
  silenceMs: {
    what: 'silence of a registry during a request',
    ...{ value: 90_000, unit: 'ms', effect: 'the request fails; a download is tried again' },
    attackedBy: ['packages/oci/src/distribution/distribution-client.test.ts'],
  },
} satisfies LimitTable;

export const ociLimits = limitValues(ociLimitTable);
