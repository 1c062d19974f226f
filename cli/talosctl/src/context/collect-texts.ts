/** Collects the values of a repeatable option. A value may contain commas. */
export function collectTexts(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
