/** For options that are given several times, a text each, which may hold commas. */
export function collectTexts(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
