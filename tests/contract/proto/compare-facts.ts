/**
 * Lines that are in one list only, and lines that are in a list twice, in the order of the lists. Empty when
 * the lists agree.
 */
export function compareFacts(expected: readonly string[], actual: readonly string[]): string[] {
  const twice = (facts: readonly string[]) => facts.filter((fact, index) => facts.indexOf(fact) !== index);
  const expectedSet = new Set(expected);
  const actualSet = new Set(actual);
  return [
    ...twice(expected).map((fact) => `twice in the table: ${fact}`),
    ...twice(actual).map((fact) => `twice in the project: ${fact}`),
    ...expected.filter((fact) => !actualSet.has(fact)).map((fact) => `only in the table: ${fact}`),
    ...actual.filter((fact) => !expectedSet.has(fact)).map((fact) => `only in the project: ${fact}`),
  ];
}
