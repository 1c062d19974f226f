import type { KubeconfigConflict } from '@nodewright/client/kubeconfig';
import { nextLine } from '../ask-question.ts';
import type { CliEnvironment } from '../command-module.ts';
import { escapeLine } from '../output/escape-text.ts';

/**
 * Asks for each entry whose name is taken whether to overwrite the other one. Without a terminal nothing is overwritten.
 * Source: Talos v1.14: kubeconfig.
 */
export async function decideConflicts(
  env: Pick<CliEnvironment, 'stdin' | 'stderr' | 'isInteractive' | 'signal'>,
  conflicts: readonly KubeconfigConflict[],
  force: boolean,
): Promise<(conflict: KubeconfigConflict) => boolean> {
  const overwritten: KubeconfigConflict[] = [];
  for (const conflict of conflicts) {
    if (force || (env.isInteractive && (await wantsOverwrite(env, conflict)))) overwritten.push(conflict);
  }
  return ({ part, name }) => overwritten.some((each) => each.part === part && each.name === name);
}

async function wantsOverwrite(
  env: Pick<CliEnvironment, 'stdin' | 'stderr' | 'signal'>,
  { part, name }: KubeconfigConflict,
): Promise<boolean> {
  for (;;) {
    const question = `${part} ${JSON.stringify(name)} exists with other content [(r)ename/(o)verwrite]: `;
    env.stderr.write(escapeLine(question));
    const answer = (await nextLine(env)).trim().toLowerCase();
    if (['o', 'overwrite'].includes(answer)) return true;
    // The end of the input is no consent to lose an entry.
    if (['r', 'rename', ''].includes(answer)) return false;
  }
}
