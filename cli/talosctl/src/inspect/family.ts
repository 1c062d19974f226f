import { type Dependency, isOutput } from './dependency.ts';

const domain = '.talos.dev';

/** The family of a resource type: `net` for `LinkSpecs.net.talos.dev`. */
export function familyOfType(type: string): string {
  const at = type.indexOf('.');
  if (at < 0) return 'other';
  const suffix = type.slice(at + 1);
  return type.endsWith(domain) ? suffix.slice(0, -domain.length) || 'other' : suffix;
}

/** The short name of a resource type: `LinkSpecs` for `LinkSpecs.net.talos.dev`. */
export const nameOfType = (type: string): string => type.split('.')[0] ?? type;

/** The short name, such as `LinkSpec` for `network.LinkSpecController` and `LinkSpecController.net.talos.dev`. */
export function nameOfController(controller: string): string {
  const isSuffixed = controller.endsWith(domain);
  const word = isSuffixed ? controller.split('.')[0] : controller.split('.').at(-1);
  return (word ?? controller).replace(/Controllers?$/, '') || controller;
}

/** The group of a controller: `network` for `network.LinkSpecController`; empty for a name without a group. */
export function groupOfController(controller: string): string {
  const at = controller.indexOf('.');
  return at < 0 || controller.endsWith(domain) ? '' : controller.slice(0, at);
}

/** The family of each controller: that of most of its outputs, or of its inputs when it has no outputs. */
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
