import {
  type Kubeconfig,
  type KubeconfigConflict,
  kubeconfigConflicts,
  mergeKubeconfig,
} from '@nodewright/client/kubeconfig';
import { Fault } from '@nodewright/fault';
import {
  openQuestions,
  type QuestionEnvironment,
  type Questions,
  type QuestionsInit,
} from '../nodes/open-questions.ts';

export interface ConflictsInit extends QuestionsInit {
  /** The content of the file. */
  readonly base: Kubeconfig;
  readonly incoming: Kubeconfig;
  /** The name that the user chose for the context. */
  readonly contextName: string | undefined;
}

/**
 * Asks for each entry whose name is taken whether to overwrite the other one. Without a terminal nothing is overwritten.
 * Source: Talos v1.14: kubeconfig. Upstream does not ask about contexts; here it is asked when one leads to another server or authority,
 * because the next command of kubectl would go there.
 *
 * @returns the entries that the user agrees to lose
 * @throws InterruptedFailure after Ctrl-C, when nothing may be written; Fault `already-exists` without a terminal when the name that the user
 * chose is that of such a context
 */
export async function decideConflicts(
  env: QuestionEnvironment,
  { base, incoming, contextName, ...init }: ConflictsInit,
): Promise<KubeconfigConflict[]> {
  const overwritten: KubeconfigConflict[] = [];
  /** What would happen to contexts after the answers so far. */
  const keptContexts = () => {
    const overwrites = ({ part, name }: KubeconfigConflict) =>
      overwritten.some((each) => each.part === part && each.name === name);
    return mergeKubeconfig(base, incoming, { overwrites, contextName }).keptContexts;
  };
  const conflicts = kubeconfigConflicts(base, incoming);
  if (!env.isInteractive) {
    if (contextName !== undefined && keptContexts().length > 0)
      throw new Fault(
        'already-exists',
        `context ${JSON.stringify(contextName)} leads to another server or authority: add flag --force to replace it, or choose another name`,
      );
    return [];
  }
  if (conflicts.length === 0 && keptContexts().length === 0) return [];
  using questions = openQuestions(env, init);
  const ask = async (asked: readonly KubeconfigConflict[], what: string) => {
    for (const conflict of asked)
      if (await wantsOverwrite(questions, conflict, what)) overwritten.push(conflict);
  };
  await ask(conflicts, 'exists with other content');
  await ask(keptContexts(), 'leads to another server or authority');
  return overwritten;
}

async function wantsOverwrite(
  questions: Questions,
  { part, name }: KubeconfigConflict,
  what: string,
): Promise<boolean> {
  for (;;) {
    const question = `${part} ${JSON.stringify(name)} ${what} [(r)ename/(o)verwrite]: `;
    const answer = (await questions.ask(question)).trim().toLowerCase();
    if (['o', 'overwrite'].includes(answer)) return true;
    // The end of the input is no consent to lose an entry.
    if (['r', 'rename', ''].includes(answer)) return false;
  }
}
