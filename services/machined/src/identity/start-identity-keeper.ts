import { Secret } from '@nodewright/fault';
import type { NodeConfig } from '@nodewright/machine-config';
import { systemWallClock } from '@nodewright/sntp';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { Latch } from '../domain/condition.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import type { NodeFacts } from '../domain/node-facts.ts';
import { planIdentity } from '../domain/plan-identity.ts';
import { trustdEndpoints } from '../domain/trustd-endpoints.ts';
import { askTrustd } from '../host/ask-trustd.ts';
import { inSpan } from '../host/in-span.ts';
import type { MembershipSource } from '../host/membership-file.ts';
import type { NodeLayout } from '../node-layout.ts';
import { IdentityKeeper } from './identity-keeper.ts';
import { issueIdentity } from './issue-identity.ts';
import { requestIdentity } from './request-identity.ts';
import { createRuntimePublisher } from './runtime-publisher.ts';

export interface StartIdentityKeeperInit {
  readonly config: NodeConfig;
  readonly node: NodeFacts;
  readonly layout: NodeLayout;
  readonly members: MembershipSource;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** How long one trustd may take to answer: the others want their turn in the same attempt. */
const trustdTimeoutMs = 3000;

/**
 * Puts the parts that get, keep and hand out this node's certificates together, on `scope`, and gives what each daemon
 * waits for. The clock of a node is synchronised by its host and its network is there, so they are not among them.
 */
export function startIdentityKeeper(
  init: StartIdentityKeeperInit,
  scope: AsyncDisposableStack,
): Record<ChildDaemon, readonly Latch[]> {
  const { config, node, layout, members, log, telemetry } = init;
  const plan = planIdentity(config, node);
  const token = new Secret(config.token);
  const conditions = {
    apid: [new Latch('api certificates'), new Latch('config to be ready')],
    trustd: [new Latch('trustd certificates')],
  };

  const obtain = (signal: AbortSignal) => {
    if (plan.kind === 'issue') return issueIdentity(plan, token.reveal(), new Date(systemWallClock.now()));
    const { acceptedCAs } = plan;
    return requestIdentity({
      plan,
      endpoints: trustdEndpoints(config.clusterEndpoint, members.current()),
      random: Math.random,
      signal,
      ask: (endpoint, request, attemptSignal) =>
        askTrustd(endpoint, {
          request,
          token,
          acceptedCAs,
          telemetry,
          timeoutMs: trustdTimeoutMs,
          signal: attemptSignal,
        }),
    });
  };

  const publisher = scope.use(
    createRuntimePublisher({
      node,
      members: () => members.current(),
      apid: { path: layout.paths.apidRuntime, owner: layout.users?.apid, mode: layout.runtimeFileMode },
      trustd: { path: layout.paths.trustdRuntime, owner: layout.users?.trustd, mode: layout.runtimeFileMode },
    }),
  );
  const keeper = new IdentityKeeper({
    obtain: (signal) => inSpan(telemetry, `${plan.kind} certificates`, () => obtain(signal)),
    publish: (identity) => publisher.publish(identity),
    members,
    now: systemWallClock.now,
    log,
    onIssued: () => conditions.apid[0]?.meet(),
    onPublished: () => {
      for (const latch of [...conditions.apid, ...conditions.trustd]) latch.meet();
    },
  });
  scope.use(keeper);
  return conditions;
}
