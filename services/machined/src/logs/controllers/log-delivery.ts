import { type Controller, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { LogStore } from '@nodewright/services/logs';
import { machineConfigs } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { type LogDestination, logDestinationFromUrl } from '../domain/log-destination.ts';
import { createRecordDelivery, type RecordDelivery } from '../host/record-delivery.ts';
import { type LogPositions, openServiceLogSource } from '../host/service-log-source.ts';

/**
 * Sends the logs of services to the configured destinations. Talos has no controller of this name; it writes
 * no resources. Source: Talos v1.14: log destinations.
 *
 * @param now Unix ms; the time of lines without a time
 */
export function logDeliveryController(store: LogStore, now: () => number): Controller {
  const positions: LogPositions = new Map();
  let delivery: RecordDelivery | undefined;
  return {
    name: 'runtime.LogDeliveryController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [],
    open({ log }, scope) {
      delivery = scope.use(
        createRecordDelivery({
          openSource: ({ extraTags }) => openServiceLogSource(store, positions, extraTags, now),
          log,
        }),
      );
    },
    async reconcile(pass) {
      const configured = (await configurationOf(pass))?.effective.logDestinations ?? [];
      const destinations = configured.flatMap(({ endpoint, extraTags }) =>
        usableDestinations(pass.log, endpoint, extraTags),
      );
      await delivery?.setDestinations(destinations);
    },
  };
}

/** Returns the destination of a URL. A URL that cannot be used is logged, and does not stop delivery to the others. */
export function usableDestinations(
  log: Logger,
  url: string,
  extraTags: Readonly<Record<string, string>> = {},
): LogDestination[] {
  try {
    return [logDestinationFromUrl(url, extraTags)];
  } catch (error) {
    log.error({ error: faultFrom(error).message }, 'log destination cannot be used');
    return [];
  }
}
