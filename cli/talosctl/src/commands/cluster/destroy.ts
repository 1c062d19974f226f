import { faultFrom } from '@nodewright/fault';
import type { ClusterRef, DestroyPlan, Provisioner } from '@nodewright/provision';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { openQuestions } from '../../nodes/open-questions.ts';
import { writeDocument } from '../../render/document.ts';
import { formatTable } from '../../render/table.ts';
import { createStepLines } from './step-lines.ts';

interface DestroyOptions extends ClusterOptions, OutputOptions {
  readonly force?: boolean;
  readonly ifPresent?: boolean;
  readonly yes?: boolean;
}

/** `talosctl cluster destroy`: prints what it will remove, asks for the name on a terminal, then stops the cluster and removes it. */
export function defineClusterDestroy(cluster: Command, env: CliEnvironment): void {
  const command = cluster
    .command('destroy')
    .description('Stop a local cluster and remove all of its files')
    .option('-f, --force', 'remove the cluster even if its state cannot be read')
    .option('--if-present', 'succeed if the cluster does not exist')
    .option('-y, --yes', 'do not ask for confirmation');
  addOutputOption(command).action(async (_options: DestroyOptions, called: Command) => {
    const options = called.optsWithGlobals<DestroyOptions>();
    const provisioner = await provisionerOf(env, options);
    const ref = clusterRef(env, options);
    const plan = await planOf(provisioner, ref, options);
    if (plan === undefined) env.stderr.write(`no cluster "${ref.name}" in ${ref.clustersFolder}\n`);
    else {
      const isAsked = env.isInteractive && !options.yes;
      env.stderr.write(planText(isAsked ? 'about to destroy' : 'destroying', ref, plan));
      if (isAsked) await confirm(env, ref, options);
      await provisioner.destroy(ref, { force: options.force ?? false }, createStepLines(env.stderr));
    }
    if (options.output !== 'table') {
      await writeDocument(env.stdout, options.output, { name: ref.name, destroyed: plan ?? null });
    }
  });
}

/** @throws ReportedFailure when the user does not type the name; InterruptedFailure after Ctrl-C */
async function confirm(env: CliEnvironment, { name }: ClusterRef, { output }: OutputOptions): Promise<void> {
  using questions = openQuestions(env, {
    output,
    document: (error) => ({ name, destroyed: null, error }),
  });
  const typed = await questions.ask(
    `Type ${JSON.stringify(name)}, the name of the cluster, to destroy it with all its data: `,
  );
  if (typed.trim() !== name) await questions.refuse();
}

/** What to destroy; `undefined` when the cluster does not exist and `--if-present` is set. */
async function planOf(
  provisioner: Provisioner,
  ref: ClusterRef,
  { ifPresent }: DestroyOptions,
): Promise<DestroyPlan | undefined> {
  try {
    return await provisioner.planDestroy(ref);
  } catch (error) {
    if (ifPresent && faultFrom(error).kind === 'not-found') return undefined;
    throw error;
  }
}

function objectsText({ containers, networks, volumes }: NonNullable<DestroyPlan['objects']>): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return [counted(containers, 'container'), counted(networks, 'network'), counted(volumes, 'volume')].join(
    ', ',
  );
}

function planText(verb: string, { name }: ClusterRef, plan: DestroyPlan): string {
  const supervisor = plan.supervisorPid === undefined ? '' : ` (supervisor pid ${plan.supervisorPid})`;
  const rows = [
    ['  nodes', plan.nodes.length === 0 ? 'none' : plan.nodes.join(', ')],
    ['  processes', plan.processes === 0 ? 'none' : `${plan.processes}${supervisor}`],
    ...(plan.objects === undefined ? [] : [['  in the engine', objectsText(plan.objects)]]),
    ['  state folder', plan.folder],
    ...(plan.talosconfig === undefined
      ? []
      : [['  context', `${plan.talosconfig.context} in ${plan.talosconfig.path}`]]),
  ];
  return [`${verb} cluster "${name}":`, ...formatTable(rows), ''].join('\n');
}
