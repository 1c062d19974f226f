import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { callerRolesOf } from '../action/read-effect.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { showWait } from '../context/progress.ts';
import { addHelp } from '../help/more-help.ts';
import { clusterRef } from '../local-clusters/cluster-options.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { clusterName, readContext } from '../nodes/talosconfig-of.ts';
import { wholeNumberBetween } from '../values/parse-whole-number.ts';

interface UiOptions extends NodeOptions, OutputOptions {
  readonly port: number;
  readonly browser: boolean;
  readonly allowActions?: boolean;
  readonly jaeger?: string;
}

async function showPage(env: CliEnvironment, options: UiOptions): Promise<void> {
  const { port, browser: opensBrowser, allowActions: allowsActions = false, output } = options;
  const session = randomUUID();
  using client = await openClient(env, options, session);
  const { name: context, context: settings } = await readContext(env, options);
  // Loaded here: no other command needs a server of web pages.
  const { nodesToShow } = await import('../nodes/nodes-to-show.ts');
  const { runUi } = await import('../ui/run-ui.ts');
  const isNamed = (options.nodes ?? settings.nodes).length > 0;
  const nodes = isNamed
    ? client.targets
    : await showWait(env.stderr, 'the endpoint', nodesToShow(client, env.signal));
  const callerRoles = await callerRolesOf(env, options);
  const cluster = await clusterName(env, options);
  await runUi({
    ...{ env, client, nodes, session, context, port, opensBrowser, output },
    ...{ allowsActions, callerRoles, cluster, ca: settings.ca },
    traces: {
      jaeger: options.jaeger,
      folder: join(clusterRef(env, { name: cluster }).clustersFolder, cluster),
    },
  });
}

function parseJaeger(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be a URL, such as http://127.0.0.1:16686.');
}

/** `talosctl ui`, an addition to upstream's commands: shows nodes live in a browser. */
export const uiCommand: CommandModule = {
  define(command, env) {
    addHelp(
      addOutputOption(addNodeOptions(command)),
      'Serves a page on a port of this machine that no other machine can reach, and opens it in your browser. The page shows what the dashboard shows, and more, with the rights of your talosconfig. Without --allow-actions it changes nothing, and its program refuses every request to do so. Where neither --nodes nor the context names nodes, all members of the cluster are shown. The printed link opens one page, once, within 60 seconds; press Enter for another. On a machine that you reach by SSH, forward the port: ssh -L 8600:127.0.0.1:8600, with --port 8600. To a browser, all pages of one port are the same site: a page that another program has served there before can act as this one.',
    )
      .option(
        '--port <port>',
        'port to listen on, on 127.0.0.1 (0: any free port); name one only if nothing that you do not trust has served a page on it before',
        wholeNumberBetween(0, 65_535),
        0,
      )
      .option('--no-browser', 'only print the link')
      .option(
        '--jaeger <url>',
        'Jaeger that has the traces, such as http://127.0.0.1:16686 (default: what a cluster of processes keeps, or the Jaeger of a cluster of containers)',
        parseJaeger,
      )
      .option(
        '--allow-actions',
        'let the page change nodes: configurations, services, etcd, reboot, shutdown, reset',
      )
      .action((options: UiOptions) => showPage(env, options));
  },
};
