import { metadataKeys } from '@nodewright/contract';
import {
  MembershipServiceDefinition,
  type NodeRecord,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault, faultFrom, type Secret } from '@nodewright/fault';
import { createRpcClient } from '@nodewright/rpc';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { shuffled, type TrustdEndpoint } from '../../domain/trustd-endpoints.ts';
import { pause } from '../pause.ts';
import { endpointText, openTrustdChannel } from '../trustd-channel.ts';
import { LinkReports } from './link-reports.ts';
import { heartbeatMs, type LinkTiming, RetryPauses } from './link-timing.ts';
import type { NodeRegistry } from './node-registry.ts';
import { inOwnTrace, outsideOfSpans, untraced } from './traces.ts';

export interface TrustdLinkInit {
  readonly registry: NodeRegistry;
  readonly endpoints: readonly TrustdEndpoint[];
  readonly token: Secret;
  /** PEM: the CAs that may have signed trustd's certificate. */
  readonly acceptedCAs: readonly string[];
  readonly timing: LinkTiming;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** A control plane that does not answer costs this much of the time that the record has, in ms. */
const answerTimeoutMs = 3000;
/** Between two reports at least, whatever happens in the cluster, in ms. */
const shortestRestMs = 200;

/**
 * A worker's place in the cluster: reports to the trustd of a control plane, to the next one as soon as one fails, and
 * learns from the answers who else lives, until `signal` aborts.
 */
export function followTrustd(init: TrustdLinkInit, signal: AbortSignal): Promise<void> {
  return outsideOfSpans(() => follow(init, signal));
}

async function follow(init: TrustdLinkInit, signal: AbortSignal): Promise<void> {
  const pauses = new RetryPauses(init.timing, init.random);
  const reports = new LinkReports(init.log, 'trustd');
  // What has been tried before is no trace again: a cluster may be without etcd for long.
  let tried: NodeRecord | undefined;
  const news = {
    isTried(record: NodeRecord): boolean {
      const isSame = record === tried;
      tried = record;
      return isSame;
    },
  };
  while (!signal.aborted) {
    let failure: unknown = new Fault('failed-precondition', 'no control plane is known to report to');
    for (const endpoint of shuffled(init.endpoints, init.random)) {
      if (signal.aborted) return;
      try {
        await reportTo(endpoint, init, news, signal, () => {
          pauses.reset();
          reports.isUp({ endpoint: endpointText(endpoint) });
        });
      } catch (error) {
        const { kind, message } = faultFrom(error);
        failure = new Fault(kind, `trustd at ${endpointText(endpoint)}: ${message}`, { cause: error });
      }
    }
    if (!signal.aborted) reports.failed(failure);
    await pause(pauses.next(), signal);
  }
}

/** Reports to one trustd until that fails. */
async function reportTo(
  endpoint: TrustdEndpoint,
  { registry, token, acceptedCAs, timing, telemetry }: TrustdLinkInit,
  news: { isTried(record: NodeRecord): boolean },
  outer: AbortSignal,
  onAnswer: () => void,
): Promise<void> {
  using scope = new DisposableStack();
  const channel = scope.adopt(openTrustdChannel(endpoint, acceptedCAs), (opened) => opened.close());
  const client = createRpcClient(MembershipServiceDefinition, channel, {
    telemetry,
    metadata: { [metadataKeys.token]: token.reveal() },
  });
  const report = async (node: NodeRecord, knownVersion: string): Promise<ReportResponse | 'outdated'> => {
    using call = new DisposableStack();
    const stop = call.adopt(new AbortController(), (controller) => controller.abort());
    const timeoutMs = answerTimeoutMs + (knownVersion === '' ? 0 : heartbeatMs(timing));
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([outer, stop.signal, timeout]);
    let isOutdated = false;
    void registry.nextOwn(stop.signal).then(() => {
      isOutdated = !stop.signal.aborted;
      if (isOutdated) stop.abort();
    });
    try {
      return await client.report({ node, knownVersion }, { signal });
    } catch (error) {
      if (isOutdated) return 'outdated';
      if (timeout.aborted) throw new Fault('deadline-exceeded', `no answer within ${timeoutMs} ms`);
      throw error;
    }
  };

  let knownVersion = '';
  while (!outer.aborted) {
    const own = registry.own();
    if (own === undefined) {
      await registry.nextOwn(outer);
      continue;
    }
    const askedMs = performance.now();
    const tell = () => report(own, knownVersion);
    const answer = await (news.isTried(own)
      ? untraced(telemetry, tell)
      : inOwnTrace(telemetry, 'tell node record', tell));
    if (answer === 'outdated') {
      await pause(shortestRestMs, outer);
      continue;
    }
    onAnswer();
    registry.learn(answer.nodes);
    // It waits before it answers that nothing is new; one that does not is asked again when the record needs it.
    const isNews = answer.version !== knownVersion;
    const restMs = isNews ? shortestRestMs : heartbeatMs(timing) - (performance.now() - askedMs);
    knownVersion = answer.version;
    await pause(Math.max(restMs, shortestRestMs), outer);
  }
}
