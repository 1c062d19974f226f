import { type RunFilesInit, runFiles } from './run-files.ts';

/** What the reporter prints before the errors of the tests that failed. */
const errorsBegin = '✖ failing tests:';

/**
 * Runs all files `times` times, to find tests that fail by chance. After each round it prints the errors and one line. No failed file
 * gets a second chance: one failure is a finding.
 *
 * @returns how often each test failed, by its file, its name and the first line of its error
 */
export async function repeatFiles(
  init: RunFilesInit & { readonly times: number },
): Promise<ReadonlyMap<string, number>> {
  const failures = new Map<string, number>();
  for (let round = 1; round <= init.times; round += 1) {
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    const counts = await runFiles({ ...init, repeats: false, print });
    for (const failure of counts.failures) failures.set(failure, (failures.get(failure) ?? 0) + 1);
    const output = printed.join('');
    if (counts.failed > 0) process.stdout.write(output.slice(Math.max(0, output.indexOf(errorsBegin))));
    process.stdout.write(
      `round ${round} of ${init.times}: ${counts.passed} passed, ${counts.failed} failed\n`,
    );
  }
  return failures;
}
