import { callService, isServiceAction, type ServiceAction } from '../action/service-actions.ts';
import type { CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { type NodeReport, reportNodes } from '../nodes/report-nodes.ts';
import { reportService } from '../nodes/report-service.ts';
import { listServices, serviceDocument, serviceRow } from '../nodes/service-rows.ts';

function actionReport(action: ServiceAction, id: string): NodeReport<{ readonly resp: string }> {
  return {
    call: (node, signal) => callService(node, id, action, signal),
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
          if (!isServiceAction(action)) {
            throw new UsageFault(`unknown action "${action}": it must be start, stop, restart or status`);
          }
          return reportNodes(env, options, actionReport(action, id));
        },
      );
  },
};
