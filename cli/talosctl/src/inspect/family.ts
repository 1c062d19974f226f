import { type Dependency, isOutput } from './dependency.ts';

const domain = '.talos.dev';

/** `net` of `LinkSpecs.net.talos.dev`. */
export function familyOfType(type: string): string {
  const at = type.indexOf('.');
  if (at < 0) return 'other';
  const suffix = type.slice(at + 1);
  return type.endsWith(domain) ? suffix.slice(0, -domain.length) || 'other' : suffix;
}

/** `LinkSpecs` of `LinkSpecs.net.talos.dev`. */
export const nameOfType = (type: string): string => type.split('.')[0] ?? type;

/** `LinkSpec` of `network.LinkSpecController` and of `LinkSpecController.net.talos.dev`. */
export function nameOfController(controller: string): string {
  const isSuffixed = controller.endsWith(domain);
  const word = isSuffixed ? controller.split('.')[0] : controller.split('.').at(-1);
  return (word ?? controller).replace(/Controllers?$/, '') || controller;
}

/** `network` of `network.LinkSpecController`; empty where the name does not begin with a group. */
export function groupOfController(controller: string): string {
  const at = controller.indexOf('.');
  return at < 0 || controller.endsWith(domain) ? '' : controller.slice(0, at);
}

/** To which family each controller belongs: that of most of its outputs, or of its inputs when it has none. */
export function familiesOfControllers(dependencies: readonly Dependency[]): ReadonlyMap<string, string> {
  const byController = Map.groupBy(dependencies, ({ controller }) => controller);
  return new Map(
    [...byController].map(([controller, all]) => {
      const outputs = all.filter(isOutput);
      return [controller, mostFrequentFamily(outputs.length > 0 ? outputs : all)];
    }),
  );
}

function mostFrequentFamily(dependencies: readonly Dependency[]): string {
  const families = Map.groupBy(dependencies, ({ type }) => familyOfType(type));
  const [first] = [...families].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
  return first?.[0] ?? 'other';
}
