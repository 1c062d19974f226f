import type { Check } from './check.ts';
import { applyConfigurationChecks } from './checks/apply-configuration.ts';
import { authorizationChecks } from './checks/authorization.ts';
import { clientConfigurationChecks } from './checks/client-configuration.ts';
import { copyChecks } from './checks/copy.ts';
import { deviceChecks } from './checks/devices.ts';
import { diskUsageChecks } from './checks/disk-usage.ts';
import { dmesgChecks } from './checks/dmesg.ts';
import { envelopeChecks } from './checks/envelope.ts';
import { eventChecks } from './checks/events.ts';
import { healthCheckChecks } from './checks/health-check.ts';
import { listChecks } from './checks/list.ts';
import { logChecks } from './checks/logs.ts';
import { memoryChecks } from './checks/memory.ts';
import { metaChecks } from './checks/meta.ts';
import { mountChecks } from './checks/mounts.ts';
import { netstatChecks } from './checks/netstat.ts';
import { packetCaptureChecks } from './checks/packet-capture.ts';
import { processChecks } from './checks/processes.ts';
import { processorChecks } from './checks/processor.ts';
import { protocolChecks } from './checks/protocol.ts';
import { readChecks } from './checks/read.ts';
import { resourceChecks } from './checks/resources.ts';
import { routingChecks } from './checks/routing.ts';
import { serviceChecks } from './checks/services.ts';
import { streamChecks } from './checks/streams.ts';
import { timeChecks } from './checks/time.ts';
import { transportChecks } from './checks/transport.ts';
import { versionChecks } from './checks/version.ts';

/** Everything that a client may rely on, in the order in which it is checked. */
export const suite: readonly Check[] = [
  ...transportChecks,
  ...versionChecks,
  ...memoryChecks,
  ...processorChecks,
  ...deviceChecks,
  ...processChecks,
  ...mountChecks,
  ...serviceChecks,
  ...logChecks,
  ...dmesgChecks,
  ...eventChecks,
  ...listChecks,
  ...diskUsageChecks,
  ...readChecks,
  ...copyChecks,
  ...netstatChecks,
  ...packetCaptureChecks,
  ...clientConfigurationChecks,
  ...applyConfigurationChecks,
  ...metaChecks,
  ...timeChecks,
  ...healthCheckChecks,
  ...resourceChecks,
  ...envelopeChecks,
  ...streamChecks,
  ...routingChecks,
  ...authorizationChecks,
  ...protocolChecks,
];
