import type { KubeconfigConflict } from '@nodewright/client/kubeconfig';
import {
  openQuestions,
  type QuestionEnvironment,
  type Questions,
  type QuestionsInit,
} from '../open-questions.ts';

/**
 * Asks for each entry whose name is taken whether to overwrite the other one. Without a terminal nothing is overwritten.
 * Source: Talos v1.14: kubeconfig.
 *
 * @returns the entries that the user agrees to lose
 * @throws InterruptedFailure after Ctrl-C, when nothing may be written
 */
export async function decideConflicts(
  env: QuestionEnvironment,
  conflicts: readonly KubeconfigConflict[],
  init: QuestionsInit,
): Promise<KubeconfigConflict[]> {
  if (conflicts.length === 0 || !env.isInteractive) return [];
  using questions = openQuestions(env, init);
  const overwritten: KubeconfigConflict[] = [];
  for (const conflict of conflicts) if (await wantsOverwrite(questions, conflict)) overwritten.push(conflict);
  return overwritten;
}

async function wantsOverwrite(questions: Questions, { part, name }: KubeconfigConflict): Promise<boolean> {
  for (;;) {
    const question = `${part} ${JSON.stringify(name)} exists with other content [(r)ename/(o)verwrite]: `;
    const answer = (await questions.ask(question)).trim().toLowerCase();
    if (['o', 'overwrite'].includes(answer)) return true;
    // The end of the input is no consent to lose an entry.
    if (['r', 'rename', ''].includes(answer)) return false;
  }
}
