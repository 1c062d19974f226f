import { randomBytes } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { InvalidArgumentError } from 'commander';
import { callerRolesOf } from '../action/read-effect.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { showWait } from '../context/progress.ts';
import { keyGroups } from '../dashboard/model/key-table.ts';
import { addHelp } from '../help/more-help.ts';
import { addInsecureOptions, addNodeOptions, type NodeOptions } from '../nodes/node-options.ts';
import { nodesToShow } from '../nodes/nodes-to-show.ts';
import { openClient } from '../nodes/open-client.ts';
import { readContext } from '../nodes/talosconfig-of.ts';
import { parseGoDuration } from '../values/go-duration.ts';

interface DashboardOptions extends NodeOptions {
  readonly updateInterval: number;
  readonly output: 'screen' | 'json';
  readonly once: boolean;
}

const leastIntervalMs = 200;

function parseInterval(text: string): number {
  const ms = Number(parseGoDuration(text) / 1_000_000n);
  if (ms < leastIntervalMs) throw new InvalidArgumentError(`It must be ${leastIntervalMs}ms or more.`);
  if (ms > 3_600_000) throw new InvalidArgumentError('It must be an hour or less.');
  return ms;
}

async function showDashboard(env: CliEnvironment, options: DashboardOptions): Promise<void> {
  const { output, once, updateInterval: intervalMs } = options;
  if (once && output !== 'json') throw new UsageFault('flag --once needs -o json');
  if (output !== 'json' && !(env.stdout.isTTY && env.stdin.isTTY && env.environment.TERM !== 'dumb')) {
    throw new Fault('failed-precondition', 'the dashboard needs a terminal: without one, use -o json');
  }
  const session = `dashboard-${randomBytes(6).toString('hex')}`;
  using client = await openClient(env, options, session);
  const isNamed = (options.nodes ?? (await readContext(env, options)).context.nodes).length > 0;
  const nodes = isNamed
    ? client.targets
    : await showWait(env.stderr, 'the endpoint', nodesToShow(client, env.signal));
  if (output === 'json') {
    const { printDashboard } = await import('../dashboard/print-dashboard.ts');
    return await printDashboard({ env, client, nodes, intervalMs }, once);
  }
  const { runDashboard } = await import('../dashboard/run-dashboard.ts');
  const callerRoles = await callerRolesOf(env, options);
  await runDashboard({ env, client, nodes, intervalMs, session, callerRoles });
}

/** `talosctl dashboard`: shows nodes live on a terminal. Source: Talos v1.14: dashboard. */
export const dashboardCommand: CommandModule = {
  define(command, env) {
    for (const { title, keys } of keyGroups)
      addHelp(command, { heading: `Keys, ${title[0]?.toLowerCase()}${title.slice(1)}:`, definitions: keys });
    addInsecureOptions(addNodeOptions(command))
      .addOption(
        command
          .createOption('-d, --update-interval <duration>', 'time between two updates of a node')
          .argParser(parseInterval)
          .default(3000, '3s'),
      )
      .addOption(
        command
          .createOption('-o, --output <format>', 'screen, or json: one object per line and interval')
          .choices(['screen', 'json'])
          .default('screen'),
      )
      .option('--once', 'with -o json: print one object, with rates over one interval, and exit', false)
      .action((options: DashboardOptions) => showDashboard(env, options));
  },
};
