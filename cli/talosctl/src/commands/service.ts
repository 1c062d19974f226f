import type { NodeClient } from '@nodewright/client';
import type { CommandModule } from '../command-module.ts';
import { UsageFault } from '../failure.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../node-options.ts';
import { onlyMessage } from '../only-message.ts';
import { type NodeReport, reportNodes } from '../report-nodes.ts';
import { reportService } from '../report-service.ts';
import { listServices, serviceDocument, serviceRow } from '../service-rows.ts';

type Action = (node: NodeClient, id: string, signal: AbortSignal) => Promise<{ readonly resp: string }>;

/** Actions on a service, by name. */
const actions: Readonly<Record<string, Action>> = {
  start: async ({ machine }, id, signal) => onlyMessage(await machine.serviceStart({ id }, { signal })),
  stop: async ({ machine }, id, signal) => onlyMessage(await machine.serviceStop({ id }, { signal })),
  restart: async ({ machine }, id, signal) => onlyMessage(await machine.serviceRestart({ id }, { signal })),
};

function actionReport(action: Action, id: string): NodeReport<{ readonly resp: string }> {
  return {
    call: (node, signal) => action(node, id, signal),
    header: ['NODE', 'RESPONSE'],
    headerWithoutRows: true,
    flushWhenIdle: false,
    rows: (node, { resp }) => [[node, resp]],
    document: ({ resp }) => ({ response: resp }),
  };
}

/** `talosctl service [id [action]]`. Source: Talos v1.14: service. */
export const serviceCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addInsecureOptions(addNodeOptions(command)))
      .argument('[id]', 'service to show in detail')
      .argument('[action]', 'start, stop, restart or status')
      .action(
        async (id: string | undefined, action: string | undefined, options: NodeOptions & OutputOptions) => {
          if (id === undefined) {
            return reportNodes(env, options, {
              call: listServices,
              header: ['NODE', 'SERVICE', 'STATE', 'HEALTH', 'LAST CHANGE', 'LAST EVENT'],
              headerWithoutRows: true,
              flushWhenIdle: false,
              rows: (node, services) => services.map((service) => serviceRow(node, service, env.now())),
              document: (services) => ({ services: services.map(serviceDocument) }),
            });
          }
          if (action === undefined || action === 'status') return reportService(env, options, id);
          const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
          if (run === undefined) {
            throw new UsageFault(`unknown action "${action}": it must be start, stop, restart or status`);
          }
          return reportNodes(env, options, actionReport(run, id));
        },
      );
  },
};
