/** What stands in one list only, and what stands twice in a list, in the order of the lists. Empty: both say the same. */
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
