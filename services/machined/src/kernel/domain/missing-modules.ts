import type { DiagnosticSpec } from '@nodewright/state/kinds';

/** A configuration may list any number of modules. */
const shownNames = 10;

/** The problem of kernel modules that are needed and that the image lacks: only another image can change that. */
export function missingModules(
  names: readonly string[],
): { readonly id: string; readonly spec: DiagnosticSpec }[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, shownNames).map((name) => JSON.stringify(name));
  const rest = names.length > shownNames ? [`and ${names.length - shownNames} more`] : [];
  const message = `the image lacks kernel modules that are needed: ${[...shown, ...rest].join(', ')}`;
  const details = [
    'those of the configuration are in machine.kernel.modules: check their names, or remove them there',
    'upgrade to an image that has them',
  ];
  return [{ id: 'kernel-module-missing', spec: { message, details } }];
}
