/** What a test that runs in rounds has behind its name. */
const roundPattern = / \(\d+ of \d+\)$/;

/** Lines that say how often each test failed, the most frequent first. @param names of the tests that failed, once per failure */
export function countFailures(names: readonly string[], rounds: number): string[] {
  const counts = Map.groupBy(names, (name) => name.replace(roundPattern, ''));
  return [...counts]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([name, { length }]) => `failed ${length} of ${rounds} times: ${name}`);
}
