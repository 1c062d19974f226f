import { Fault } from '@nodewright/fault';
import { InvalidArgumentError } from 'commander';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { UsageFault } from '../failure.ts';
import { parseGoDuration } from '../go-duration.ts';
import { addHelp } from '../help/more-help.ts';
import { addInsecureOptions, addNodeOptions, type NodeOptions } from '../node-options.ts';
import { openClient } from '../open-client.ts';

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
  using client = await openClient(env, options);
  if (output === 'json') {
    const { printDashboard } = await import('../dashboard/print-dashboard.ts');
    return await printDashboard({ env, client, intervalMs }, once);
  }
  const { runDashboard } = await import('../dashboard/run-dashboard.ts');
  await runDashboard({ env, client, intervalMs });
}

const keys = [
  { term: 'F1 to F5, 1 to 5', text: 'summary, monitor, resources, logs, nodes' },
  { term: 'h l, left right', text: 'previous node, next node' },
  { term: 'j k, arrows, page', text: 'move in a list, a log or a document; home, end (g, G)' },
  { term: 'enter, esc', text: 'open a kind or a resource, go back' },
  { term: 'tab, [ ]', text: 'next log, previous log' },
  { term: '/', text: 'filter a list or a log' },
  { term: 'c m', text: 'sort processes by CPU, by memory' },
  { term: 'Ctrl-Z', text: 'freeze and resume the display' },
  { term: 'q, Ctrl-C', text: 'leave' },
] as const;

/** `talosctl dashboard`: shows nodes live on a terminal. Source: Talos v1.14: dashboard. */
export const dashboardCommand: CommandModule = {
  define(command, env) {
    addHelp(command, { heading: 'Keys:', definitions: keys });
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
