import { pause } from '@nodewright/async';
import { metadataKeys } from '@nodewright/contract';
import {
  MembershipServiceDefinition,
  type NodeRecord,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault, faultFrom, type Secret } from '@nodewright/fault';
import { createRpcClient } from '@nodewright/rpc';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { shuffled, type TrustdEndpoint } from '../domain/trustd-endpoints.ts';
import { LinkReports } from './link-reports.ts';
import { heartbeatMs, type LinkTiming, RetryPauses } from './link-timing.ts';
import type { NodeRegistry } from './node-registry.ts';
import { inOwnTrace, outsideOfSpans, untraced } from './traces.ts';
import { endpointText, openTrustdChannel } from './trustd-channel.ts';

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
  const memory: Memory = { told: undefined };
  while (!signal.aborted) {
    let failure: unknown = new Fault('failed-precondition', 'no control plane is known to report to');
    for (const endpoint of shuffled(init.endpoints, init.random)) {
      if (signal.aborted) return;
      try {
        await reportTo(endpoint, init, memory, signal, () => {
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

/** What outlasts a connection. */
interface Memory {
  /**
   * What this node has tried to tell of itself. To try again is no trace of its own: a cluster may be without etcd for
   * long. When there is to be no such node any more, that is what is taken away.
   */
  told: NodeRecord | undefined;
}

/** Reports to one trustd until that fails. */
async function reportTo(
  endpoint: TrustdEndpoint,
  { registry, token, acceptedCAs, timing, telemetry }: TrustdLinkInit,
  memory: Memory,
  outer: AbortSignal,
  onAnswer: () => void,
): Promise<void> {
  using scope = new DisposableStack();
  const channel = scope.adopt(openTrustdChannel(endpoint, acceptedCAs), (opened) => opened.close());
  const client = createRpcClient(MembershipServiceDefinition, channel, {
    telemetry,
    metadata: { [metadataKeys.token]: token.reveal() },
  });
  const report = async (
    request: Omit<ReportRequest, 'callerAddress'>,
  ): Promise<ReportResponse | 'outdated'> => {
    using call = new DisposableStack();
    const stop = call.adopt(new AbortController(), (controller) => controller.abort());
    const timeoutMs = answerTimeoutMs + (request.knownVersion === '' ? 0 : heartbeatMs(timing));
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([outer, stop.signal, timeout]);
    let isOutdated = false;
    void registry.nextOwn(stop.signal).then(() => {
      isOutdated = !stop.signal.aborted;
      if (isOutdated) stop.abort();
    });
    try {
      return await client.report(request, { signal });
    } catch (error) {
      if (isOutdated) return 'outdated';
      if (timeout.aborted) throw new Fault('deadline-exceeded', `no answer within ${timeoutMs} ms`);
      throw error;
    }
  };

  let knownVersion = '';
  while (!outer.aborted) {
    const own = registry.own();
    const node = own ?? memory.told;
    if (node === undefined) {
      await registry.nextOwn(outer);
      continue;
    }
    const isTried = own === memory.told;
    memory.told = node;
    const askedMs = performance.now();
    const isLeaving = own === undefined;
    // Who leaves waits for no news.
    const tell = () => report({ node, isLeaving, knownVersion: isLeaving ? '' : knownVersion });
    const answer = await (isTried
      ? untraced(telemetry, tell)
      : inOwnTrace(telemetry, 'tell node record', tell));
    if (answer === 'outdated') {
      await pause(shortestRestMs, outer);
      continue;
    }
    if (isLeaving) memory.told = undefined;
    onAnswer();
    registry.learn(answer.nodes);
    // It waits before it answers that nothing is new; one that does not is asked again when the record needs it.
    const isNews = answer.version !== knownVersion;
    const restMs = isNews ? shortestRestMs : heartbeatMs(timing) - (performance.now() - askedMs);
    knownVersion = answer.version;
    await pause(Math.max(restMs, shortestRestMs), outer);
  }
}
