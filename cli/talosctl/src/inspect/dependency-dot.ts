import { type Dependency, type DependencyKind, isOutput, type ResourceIds } from './dependency.ts';
import { type DotAttributes, dotAttributes, dotText } from './dot-text.ts';

const edgeStyles: Readonly<Record<DependencyKind, DotAttributes>> = {
  'output-exclusive': { style: 'bold' },
  'output-shared': { style: 'dashed' },
  'input-strong': { style: 'solid' },
  'input-weak': { style: 'dotted' },
  'input-destroy-ready': { style: 'dotted', arrowhead: 'empty' },
};

/**
 * The whole graph in the Graphviz language. Controllers are boxes and resource types are notes. Arrows lead from a type
 * to its readers and from a controller to the types that it writes. Source: Talos v1.14: inspect dependencies.
 *
 * @param resources existing resources to draw next to their types
 */
export function dependencyDot(dependencies: readonly Dependency[], resources?: ResourceIds): string {
  const lines = ['digraph {', '\trankdir="LR";'];
  for (const controller of new Set(dependencies.map((dependency) => dependency.controller))) {
    lines.push(`\t${dotText(controller)}${dotAttributes({ shape: 'box' })};`);
  }
  for (const type of new Set(dependencies.map((dependency) => dependency.type))) {
    const look = { shape: 'note', style: 'filled', fillcolor: 'azure2' };
    lines.push(`\t${dotText(type)}${dotAttributes(look)};`, ...resourceLines(type, resources?.get(type)));
  }
  for (const dependency of dependencies) {
    const { controller, kind, type, id } = dependency;
    const [from, to] = isOutput(dependency) ? [controller, type] : [type, controller];
    const attributes = dotAttributes({ ...edgeStyles[kind], label: id === '' ? undefined : id });
    lines.push(`\t${dotText(from)} -> ${dotText(to)}${attributes};`);
  }
  lines.push('}');
  return `${lines.join('\n')}\n`;
}

function resourceLines(type: string, ids: readonly string[] = []): string[] {
  return ids.flatMap((id) => {
    const node = dotText(`${type}/${id}`);
    return [
      `\t${node}${dotAttributes({ label: id, shape: 'note' })};`,
      `\t${dotText(type)} -> ${node}${dotAttributes({ arrowhead: 'none', color: 'gray' })};`,
    ];
  });
}
