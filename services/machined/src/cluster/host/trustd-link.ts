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
  /** PEM: the CAs that may have issued the certificate of trustd. */
  readonly acceptedCAs: readonly string[];
  readonly timing: LinkTiming;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** The deadline of a report, in ms, without the time that trustd waits for a change. */
const answerTimeoutMs = 3000;
/** The shortest pause between two reports, in ms, however often the cluster changes. */
const shortestRestMs = 200;

/**
 * Connects a worker to its cluster until `signal` aborts: reports its record to the trustd of a control
 * plane, or of the next one after a failure, and takes the list of live nodes from the responses.
 */
export function followTrustd(init: TrustdLinkInit, signal: AbortSignal): Promise<void> {
  return outsideOfSpans(() => follow(init, signal));
}

async function follow(init: TrustdLinkInit, signal: AbortSignal): Promise<void> {
  const pauses = new RetryPauses(init.timing, init.random);
  const reports = new LinkReports(init.log, 'trustd');
  const memory: Memory = { reported: undefined };
  while (!signal.aborted) {
    let failure: unknown = new Fault('failed-precondition', 'there is no known control plane to report to');
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

/** State that outlives a connection. */
interface Memory {
  /**
   * The record that this node last tried to report. A retry of the same record starts no new trace, because a
   * cluster may be without etcd for a long time. When the node leaves the cluster, this record is removed.
   */
  reported: NodeRecord | undefined;
}

/** Reports to one trustd until a report fails. */
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
    const node = own ?? memory.reported;
    if (node === undefined) {
      await registry.nextOwn(outer);
      continue;
    }
    const isTried = own === memory.reported;
    memory.reported = node;
    const askedMs = performance.now();
    const isLeaving = own === undefined;
    // The report with which a node leaves the cluster does not wait for changes.
    const send = () => report({ node, isLeaving, knownVersion: isLeaving ? '' : knownVersion });
    const answer = await (isTried
      ? untraced(telemetry, send)
      : inOwnTrace(telemetry, 'report node record', send));
    if (answer === 'outdated') {
      await pause(shortestRestMs, outer);
      continue;
    }
    if (isLeaving) memory.reported = undefined;
    onAnswer();
    registry.setNodes(answer.nodes);
    // trustd waits before it answers without changes. If it answers at once, the next report follows a third
    // of a lease later.
    const hasChanged = answer.version !== knownVersion;
    const restMs = hasChanged ? shortestRestMs : heartbeatMs(timing) - (performance.now() - askedMs);
    knownVersion = answer.version;
    await pause(Math.max(restMs, shortestRestMs), outer);
  }
}
