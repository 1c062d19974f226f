import { type LimitTable, limitValues } from '@nodewright/contract/declared-limits';

const management = 'tests/contract/registryd/management.test.ts';
const pullThrough = 'tests/contract/registryd/pull-through.test.ts';
const fullDisk = 'tests/contract/registryd/full-disk.test.ts';
const plan = 'services/registryd/src/domain/plan-collection.test.ts';
const tags = 'services/registryd/src/host/pull-through.test.ts';

/** The limits of downloads, of the cache and of the management. Those of the endpoint for clients are in `packages/oci`. */
export const registrydLimitTable = {
  downloads: {
    what: 'blobs that are downloaded at the same time',
    ...{ value: 3, unit: 'downloads', effect: 'further ones wait' },
    attackedBy: ['services/registryd/src/host/downloads.test.ts#three blobs are downloaded at once'],
  },
  /** Source: Talos v1.14: internal pulls. */
  downloadMs: {
    what: 'time of a download',
    ...{ value: 20 * 60_000, unit: 'ms', effect: 'it fails, and the next request continues it' },
    attackedBy: [],
  },
  reservedStepBytes: {
    what: 'bytes that a download of unknown size reserves at a time beside others; one of known size reserves that',
    ...{ value: 8 * 1024 * 1024, unit: 'bytes' },
    effect: 'ResourceExhausted when they do not fit, 507 for clients of the registry',
    attackedBy: ['services/registryd/src/host/downloads.test.ts#Downloads at once stay below the limit'],
  },
  /** Clients that lost a connection come back. */
  lingerMs: {
    what: 'time for which a download goes on after its last reader has left',
    ...{ value: 5000, unit: 'ms', effect: 'it stops' },
    attackedBy: [`${pullThrough}#a download goes on for some seconds`],
  },
  fruitlessAttempts: {
    what: 'attempts in a row that bring no byte',
    ...{ value: 3, unit: 'attempts', effect: 'the download fails, and the next request continues it' },
    attackedBy: [],
  },
  writeBytes: {
    what: 'received bytes of a download that are written at once',
    ...{ value: 256 * 1024, unit: 'bytes', effect: 'they are written' },
    attackedBy: [],
  },
  writeDelayMs: {
    what: 'time for which they wait for others',
    ...{ value: 500, unit: 'ms', effect: 'they are written' },
    attackedBy: [],
  },
  freshTagMs: {
    what: 'time for which a tag that was resolved is not resolved again',
    ...{ value: 60_000, unit: 'ms', effect: 'the next request resolves it' },
    attackedBy: [`${tags}#a tag is asked for again after a minute`],
  },
  freshTags: {
    what: 'tags of which that is remembered',
    ...{ value: 1024, unit: 'tags', effect: 'the one that was resolved first is resolved again' },
    attackedBy: [`${tags}#a tag is asked for again after a minute`],
  },
  upstreamRegistries: {
    what: 'registries whose answers are remembered for `talosctl registry upstreams`',
    ...{ value: 64, unit: 'registries', effect: 'the ones that were not asked for longest are forgotten' },
    attackedBy: ['services/registryd/src/domain/upstream-records.test.ts#UpstreamRecords forgets'],
  },
  cacheMebibytes: {
    what: 'size of the images that were pulled, unless `--max-megabytes` says otherwise',
    ...{ value: 10_240, unit: 'MiB' },
    effect: 'images that were not used for a while are removed, or the download fails with 507',
    attackedBy: [`${management}#a collection keeps the cache below its limit`],
  },
  freeShare: {
    what: 'share of their file system that downloads leave free',
    ...{ value: 0.05, unit: 'share', effect: 'the same' },
    attackedBy: [fullDisk, 'services/registryd/src/host/collector.test.ts#Collector leaves the reserve'],
  },
  /** Source: Talos v1.14: internal pulls, image GC. */
  collectMs: {
    what: 'time between two collections of what is not used',
    ...{ value: 15 * 60_000, unit: 'ms', effect: 'the next one begins' },
    attackedBy: [],
  },
  /** Source: Talos v1.14: internal pulls, image GC. */
  graceMs: {
    what: 'time for which a collection keeps content after its last use',
    ...{ value: 60 * 60_000, unit: 'ms', effect: 'it is removed when no image needs it' },
    attackedBy: [`${plan}#planCollection() removes content without an image`],
  },
  pressureGraceMs: {
    what: 'the same when space is needed for a download',
    ...{ value: 5 * 60_000, unit: 'ms', effect: 'it is removed' },
    attackedBy: [`${plan}#planCollection() removes the images that were not used for longest`, fullDisk],
  },
  unfinishedMs: {
    what: 'time for which an unfinished download is kept',
    ...{ value: 24 * 60 * 60_000, unit: 'ms', effect: 'it is removed' },
    attackedBy: [`${plan}#planCollection() frees space with unfinished downloads`],
  },
  touchMs: {
    what: 'time until the use of an image is written again',
    ...{ value: 10 * 60_000, unit: 'ms', effect: 'the next use is written' },
    attackedBy: [],
  },
  /** Its requests have a name at most. */
  management: {
    messageBytes: {
      what: 'request on the unix socket',
      ...{ value: 64 * 1024, unit: 'bytes', effect: 'ResourceExhausted' },
      attackedBy: [`${management}#a request that no client needs to make is refused`],
    },
    /** A flood leaves the processor to the other daemons. */
    answerMs: {
      what: 'time between two answers to calls that came together on the unix socket',
      ...{ value: 2, unit: 'ms', effect: 'the others wait, in the order in which they were ready' },
      attackedBy: [
        'packages/rpc/src/answer-turns.test.ts',
        'tests/attack/floods/registry.ts#registry-socket',
      ],
    },
    transport: {
      maxConcurrentCalls: {
        what: 'open calls of a connection to the unix socket',
        ...{ value: 64, unit: 'calls', effect: 'the stream is refused' },
        attackedBy: ['packages/rpc/src/transport-limits.test.ts'],
      },
      handshakesInFlight: {
        what: 'TLS handshakes on the unix socket, which has none',
        ...{ value: 1, unit: 'handshake', effect: 'the oldest one is closed' },
        attackedBy: [],
      },
      connectionReceiveBytes: {
        what: 'request bytes of a connection to the unix socket',
        ...{ value: 256 * 1024, unit: 'bytes', effect: 'ResourceExhausted' },
        attackedBy: ['packages/rpc/src/transport-limits.test.ts'],
      },
      serverReceiveBytes: {
        what: 'request bytes of all of them',
        ...{ value: 4 * 1024 * 1024, unit: 'bytes', effect: 'ResourceExhausted' },
        attackedBy: ['packages/rpc/src/transport-limits.test.ts'],
      },
    },
  },
} satisfies LimitTable;

export const registrydLimits = limitValues(registrydLimitTable);
