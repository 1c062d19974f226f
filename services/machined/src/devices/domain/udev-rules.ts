/**
 * The file with the rules of a configuration: one rule per line. A line break inside a rule continues it on the next line.
 * Source: Talos v1.14: files.UdevRulesController.
 */
export function udevRulesText(rules: readonly string[]): string {
  return rules.map((rule) => `${rule.replaceAll('\n', '\\\n')}\n`).join('');
}
