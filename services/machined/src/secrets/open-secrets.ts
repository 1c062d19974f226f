import { ports } from '@nodewright/contract';
import type { Telemetry } from '@nodewright/telemetry';
import { listenAddressOf, type NodeFacts } from '../base/domain/node-facts.ts';
import type { NodeView } from '../base/resources/node-view.ts';
import type { Topic } from '../base/topic.ts';
import { secretsControllers } from './controllers/secrets-controllers.ts';
import type { TimeWait } from './domain/time-wait.ts';
import { createClientConfiguration } from './rpc/client-configuration.ts';

export interface OpenSecretsInit {
  readonly node: NodeFacts;
  readonly view: NodeView;
  /** Unix time in ms. */
  readonly now: () => number;
  /** When the first certificates of the API wait for a time server. */
  readonly timeWait: TimeWait;
  readonly telemetry: Telemetry;
}

/** Opens the topic that issues certificates for the node and its clients and configures apid with them. */
export function openSecrets({ node, view, now, timeWait, telemetry }: OpenSecretsInit): Topic {
  return {
    controllers: secretsControllers({
      apidListenAddress: listenAddressOf(node, ports.apid),
      random: Math.random,
      timeWait,
      telemetry,
    }),
    api: { 'machine.MachineService': createClientConfiguration(view, now) },
  };
}
