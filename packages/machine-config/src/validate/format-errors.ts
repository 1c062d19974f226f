/**
 * Formats several errors as one text, like Talos. An error may itself be such a text.
 *
 * Source: Talos v1.14: machine configuration, validation.
 */
export function formatErrors(errors: readonly string[]): string {
  const head = errors.length === 1 ? '1 error occurred:' : `${errors.length} errors occurred:`;
  return `${[head, ...errors.map((error) => `\t* ${error}`)].join('\n')}\n\n`;
}
