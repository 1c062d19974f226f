import { type Dependency, isOutput, type ResourceIds } from './dependency.ts';
import { familiesOfControllers, familyOfType } from './family.ts';

/** An input that is listed by name, because a line would cross the whole picture. */
export type NamedInput = Pick<Dependency, 'kind' | 'type' | 'id'>;

export interface ControllerBox {
  readonly name: string;
  /** False for a controller of another panel that is repeated here because it writes one of this panel's types. */
  readonly isAtHome: boolean;
  readonly namedInputs: readonly NamedInput[];
}

export interface TypeNote {
  readonly type: string;
  /** False for a type of another panel that is repeated here because a controller of this panel writes it. */
  readonly isAtHome: boolean;
  /** The number of controllers that read the type, in all panels. */
  readonly readers: number;
  readonly ids: readonly string[];
}

/** One panel of the picture: the controllers and types of a family. */
export interface FamilyPanel {
  readonly family: string;
  readonly controllers: readonly ControllerBox[];
  readonly types: readonly TypeNote[];
  /** The dependencies that are drawn as lines. */
  readonly lines: readonly Dependency[];
}

/** A type with more readers than this in its panel is listed in their boxes instead of connected to them. */
const mostLines = 5;

/**
 * Splits the graph into readable panels, one per family. No line leaves its panel: the box of a controller lists inputs
 * from other families, and inputs with many readers, by name.
 */
export function familyPanels(
  dependencies: readonly Dependency[],
  resources: ResourceIds = new Map(),
): readonly FamilyPanel[] {
  const familyOf = familiesOfControllers(dependencies);
  const readers = countReaders(dependencies);
  const families = new Set([...familyOf.values(), ...dependencies.map(({ type }) => familyOfType(type))]);
  return [...families].sort().map((family) => {
    const isHome = ({ controller }: Dependency) => familyOf.get(controller) === family;
    // The dependencies of the family's controllers, and the writes of other controllers to its types.
    const here = dependencies.filter(
      (one) => isHome(one) || (isOutput(one) && familyOfType(one.type) === family),
    );
    const localReaders = countReaders(here.filter(({ type }) => familyOfType(type) === family));
    const isNamed = ({ type }: Dependency) =>
      familyOfType(type) !== family || (localReaders.get(type)?.size ?? 0) > mostLines;
    const lines = here.filter((one) => isOutput(one) || (!isNamed(one) && !isOwnOutput(one, here)));
    const named = here.filter((one) => !isOutput(one) && isNamed(one) && !isOwnOutput(one, here));
    const types = new Set([
      ...lines.map(({ type }) => type),
      ...dependencies.filter(({ type }) => familyOfType(type) === family).map(({ type }) => type),
    ]);
    return {
      family,
      controllers: [...new Set(here.map(({ controller }) => controller))].sort().map((name) => ({
        name,
        isAtHome: familyOf.get(name) === family,
        namedInputs: named.filter(({ controller }) => controller === name),
      })),
      types: [...types].sort().map((type) => ({
        type,
        isAtHome: familyOfType(type) === family,
        readers: readers.get(type)?.size ?? 0,
        ids: resources.get(type) ?? [],
      })),
      lines,
    };
  });
}

/** Whether a controller only waits to destroy its own outputs. That is implied by the output, so it is not drawn. */
function isOwnOutput({ kind, controller, type }: Dependency, all: readonly Dependency[]): boolean {
  return (
    kind === 'input-destroy-ready' &&
    all.some((other) => other.controller === controller && other.type === type && isOutput(other))
  );
}

/** The readers of each type. Inputs of the kind `input-destroy-ready` do not count. */
function countReaders(dependencies: readonly Dependency[]): ReadonlyMap<string, ReadonlySet<string>> {
  const readers = new Map<string, Set<string>>();
  for (const { kind, type, controller } of dependencies) {
    if (kind === 'input-weak' || kind === 'input-strong')
      readers.getOrInsertComputed(type, () => new Set()).add(controller);
  }
  return readers;
}
